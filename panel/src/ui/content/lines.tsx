import { classes } from '../class-names.ts';

/** Lines of user text. Duplicates are possible and the order never changes, so the index is a safe key. */
export function Lines({ lines, className = '' }: { lines: readonly string[]; className?: string }) {
  return lines.map((line, index) => (
    // oxlint-disable-next-line react/no-array-index-key
    <span key={index} className={classes('block', className)}>
      {line}
    </span>
  ));
}
