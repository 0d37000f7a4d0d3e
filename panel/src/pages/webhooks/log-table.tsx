import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { LogEntry, LogOutcome } from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { Badge, type BadgeTone } from '../../parts/orders/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Table, type Column } from '../../ui/content/table.tsx';
import { RelativeTime, ZonedTime } from '../../ui/time/times.tsx';
import { paths } from '../../paths.ts';
import { orderTexts } from '../../texts/orders/orders.ts';
import { timingTexts } from '../../texts/webhooks/timing.ts';
import { webhookLogTexts, webhookTexts } from '../../texts/webhooks/webhooks.ts';

const TONES: Record<LogOutcome, BadgeTone> = {
  delivered: 'good',
  failed: 'danger',
  waiting: 'warn',
  held: 'warn',
  discarded: 'neutral',
};

export function LogTable({ entries }: { entries: readonly LogEntry[] }) {
  const search = useSearch({ from: '/app/restaurant/webhooks' });
  const navigate = useNavigate();
  const open = (eventId: string): void =>
    void navigate({ to: '/webhooks', search: { ...search, event: eventId }, resetScroll: false });
  const columns: Column<LogEntry>[] = [
    { header: webhookLogTexts.time, cell: ({ at }) => <ZonedTime at={at} /> },
    { header: webhookLogTexts.order, isTitle: true, cell: (entry) => <OrderName entry={entry} /> },
    {
      header: webhookLogTexts.webhook,
      isWideOnly: true,
      cell: ({ endpoint }) => <span className="whitespace-nowrap">{webhookTexts.endpoints[endpoint]}</span>,
    },
    {
      header: webhookLogTexts.outcome,
      cell: ({ outcome }) => <Badge tone={TONES[outcome]}>{webhookLogTexts.outcomes[outcome]}</Badge>,
    },
    { header: webhookLogTexts.answer, cell: (entry) => <Reply entry={entry} /> },
    { header: webhookLogTexts.attempt, isWideOnly: true, align: 'right', cell: ({ number }) => number },
    {
      header: webhookLogTexts.took,
      isWideOnly: true,
      align: 'right',
      cell: ({ totalMs }) => <span className="whitespace-nowrap">{sayTook(totalMs)}</span>,
    },
    {
      header: webhookLogTexts.open,
      isHeaderHidden: true,
      align: 'right',
      cell: ({ eventId, order, outcome }) => (
        <Button
          size="small"
          look="quiet"
          aria-label={webhookLogTexts.openOf(`${order?.orderNumber ?? eventId}, ${webhookLogTexts.outcomes[outcome]}`)}
          onClick={() => open(eventId)}
        >
          {webhookLogTexts.open}
        </Button>
      ),
    },
  ];
  return <Table caption={webhookLogTexts.caption} columns={columns} rows={entries} keyOf={({ key }) => key} />;
}

function OrderName({ entry: { order, endpoint } }: { entry: LogEntry }) {
  return (
    <span className="flex min-w-0 flex-1 flex-col">
      <span className="flex items-baseline justify-between gap-4">
        {order === null ? (
          <span className="text-ink-faint">{webhookLogTexts.noOrder}</span>
        ) : (
          <Link {...paths.order(order.id)} className="font-medium tabular hover:underline">
            {orderTexts.number(order.orderNumber)}
          </Link>
        )}
        <span className="text-sm text-ink-soft sm:hidden">{webhookTexts.endpoints[endpoint]}</span>
      </span>
      {order !== null && (
        <span className="max-w-44 truncate text-sm text-ink-faint" title={order.orderId}>
          {order.orderId}
        </span>
      )}
    </span>
  );
}

function sayTook(totalMs: number | null): string {
  return totalMs === null ? webhookLogTexts.none : timingTexts.milliseconds(totalMs);
}

/** The response or error, and for pending webhooks the time of the next attempt. */
function Reply({ entry }: { entry: LogEntry }) {
  const { status, errorText, nextAttemptAt, outcome, number, totalMs } = entry;
  return (
    <span className="flex min-w-0 flex-col text-right sm:max-w-64 sm:text-left">
      {status !== null && <span className="tabular">{status}</span>}
      {status === null && errorText === null && <span className="text-ink-faint">{webhookLogTexts.none}</span>}
      {/* With a status, the error text would only repeat it. */}
      {errorText !== null && status === null && <span className="text-sm text-ink-soft">{errorText}</span>}
      {nextAttemptAt !== null && outcome === 'waiting' && (
        <span className="text-sm text-ink-faint">
          {webhookLogTexts.next} <RelativeTime at={nextAttemptAt} />
        </span>
      )}
      <span className="tabular text-sm text-ink-faint sm:hidden">
        {webhookLogTexts.attemptTook(number, sayTook(totalMs))}
      </span>
    </span>
  );
}
