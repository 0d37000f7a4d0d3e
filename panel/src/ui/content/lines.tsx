import { classes } from '../class-names.ts';

/** What somebody wrote, one below the other. Two may be alike, and none ever moves. */
export function Lines({ lines, className = '' }: { lines: readonly string[]; className?: string }) {
  return lines.map((line, index) => (
    // oxlint-disable-next-line react/no-array-index-key
    <span key={index} className={classes('block', className)}>
      {line}
    </span>
  ));
}
