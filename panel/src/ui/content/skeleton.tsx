import { commonTexts } from '../../texts/everywhere.ts';
import { classes } from '../class-names.ts';

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={classes('animate-pulse rounded-md bg-line', className ?? 'h-4 w-full')} />;
}

/** Placeholder rows for a loading list, announced once to screen readers. */
export function SkeletonRows({ count = 6 }: { count?: number }) {
  return (
    <div role="status" className="flex flex-col gap-4 p-5">
      <span className="sr-only">{commonTexts.loading}</span>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className="flex items-center gap-4">
          <Skeleton className="h-4 w-28" />
          <Skeleton className="h-4 flex-1" />
          <Skeleton className="h-4 w-16" />
        </div>
      ))}
    </div>
  );
}
