// A paged list: loading, error and empty states, and the button for the next page.
import type { ReactNode } from 'react';
import type { PagedQuery } from '../../api/operator/overview.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Card } from '../../ui/content/page.tsx';
import { SkeletonRows } from '../../ui/content/skeleton.tsx';
import { operatorTexts } from '../../texts/operator/overview.ts';

export interface ListCardProps<Page> {
  query: PagedQuery<Page>;
  isEmpty: boolean;
  /** Shown when nothing is found. */
  empty: ReactNode;
  /** Explanation of the paging, where necessary. */
  note?: ReactNode;
  children: ReactNode;
}

export function ListCard<Page>({ query, isEmpty, empty, note, children }: ListCardProps<Page>) {
  const { data, isPending, isError, error, hasNextPage, isFetchingNextPage } = query;
  return (
    <Card isFlush>
      {isPending && <SkeletonRows />}
      {isError && data === undefined && <ErrorState error={error} onRetry={() => void query.refetch()} />}
      {data !== undefined && (isEmpty ? empty : children)}
      {data !== undefined && (hasNextPage || !isEmpty) && (
        <div className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-3">
          <p aria-live="polite" className="text-sm text-ink-faint">
            {hasNextPage ? note : operatorTexts.endOfList}
          </p>
          {hasNextPage && (
            <Button isBusy={isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {operatorTexts.loadMore}
            </Button>
          )}
        </div>
      )}
    </Card>
  );
}
