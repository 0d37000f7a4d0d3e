import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Webhook } from 'lucide-react';
import type { LogAnswer } from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { useRestaurantZone } from '../../ui/time/zone.ts';
import { webhookLogQuery } from '../../api/webhooks/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/content/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Card } from '../../ui/content/page.tsx';
import { SkeletonRows } from '../../ui/content/skeleton.tsx';
import { ZonedTime } from '../../ui/time/times.tsx';
import { webhookLogTexts } from '../../texts/webhooks/webhooks.ts';
import { LogFilterBar } from './log-filter-bar.tsx';
import { LogTable } from './log-table.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { toQueryTime } from '../../parts/zoned-input.ts';

export function LogTab() {
  const { endpoint, outcome, order, from, until, event } = useSearch({ from: '/app/restaurant/webhooks' });
  const timeZone = useRestaurantZone();
  const log = useInfiniteQuery(
    webhookLogQuery({
      endpoint,
      outcome,
      order: order?.trim(),
      from: toQueryTime(from, timeZone),
      until: toQueryTime(until, timeZone),
    }),
  );
  const pages = log.data?.pages ?? [];
  const entries = pages.flatMap((page) => page.entries);
  const hasFilters = [endpoint, outcome, order, from, until].some((value) => value !== undefined && value !== '');
  return (
    <div className="flex flex-col gap-4">
      <LogFilterBar hasFilters={hasFilters} />
      <Card isFlush>
        {log.isPending && <SkeletonRows />}
        {log.isError && pages.length === 0 && <ErrorState error={log.error} onRetry={() => void log.refetch()} />}
        {entries.length > 0 && <LogTable entries={entries} />}
        {log.isSuccess && entries.length === 0 && (
          <EmptyState icon={<Webhook />} title={hasFilters ? webhookLogTexts.nothing : webhookLogTexts.empty}>
            {!hasFilters && webhookLogTexts.emptyHint}
          </EmptyState>
        )}
        {log.isSuccess && (
          <Foot
            last={pages.at(-1)}
            isEmpty={entries.length === 0}
            isBusy={log.isFetchingNextPage}
            onMore={() => void log.fetchNextPage()}
          />
        )}
      </Card>
      {event !== undefined && event !== '' && <WebhookDialog eventId={event} />}
    </div>
  );
}

interface FootProps {
  last: LogAnswer | undefined;
  isEmpty: boolean;
  isBusy: boolean;
  onMore: () => void;
}

/** How far back the list reaches, and the button for more. */
function Foot({ last, isEmpty, isBusy, onMore }: FootProps) {
  if (last === undefined) return null;
  if (last.next === null) {
    return isEmpty ? null : <p className="border-t px-5 py-3 text-sm text-ink-faint">{webhookLogTexts.end}</p>;
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-3">
      <p aria-live="polite" className="text-sm text-ink-soft">
        {last.searchedBackTo !== null && (
          <>
            {webhookLogTexts.searchedBackTo} <ZonedTime at={last.searchedBackTo} />
            {'. '}
            {last.entries.length === 0 && webhookLogTexts.searchedFor}
          </>
        )}
      </p>
      <Button isBusy={isBusy} onClick={onMore}>
        {last.searchedBackTo === null ? webhookLogTexts.older : webhookLogTexts.searchOlder}
      </Button>
    </div>
  );
}
