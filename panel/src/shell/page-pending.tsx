import { Skeleton, SkeletonRows } from '../ui/content/skeleton.tsx';

export function PagePending() {
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-6 px-4 py-6 sm:px-8 sm:py-8">
      <Skeleton className="h-8 w-48" />
      <div className="rounded-lg border bg-surface">
        <SkeletonRows />
      </div>
    </div>
  );
}
