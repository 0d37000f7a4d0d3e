import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import type {
  AttemptEntry,
  TimelineAnswer,
  TimelineDelivery,
  TimelineEntry as Entry,
} from '../../../../../src/contract/panel/orders/timeline.ts';
import { timelineQuery } from '../../../api/orders/orders.ts';
import { EmptyState } from '../../../ui/content/empty-state.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { SkeletonRows } from '../../../ui/content/skeleton.tsx';
import { STATE_COLORS } from '../../../parts/orders/state-colors.ts';
import { RelativeTime, ZonedTime } from '../../../ui/time/times.tsx';
import { Timeline, type TimelineEntry } from '../../../ui/content/timeline.tsx';
import { timelineTexts } from '../../../texts/orders/order-page.ts';
import { stateTexts } from '../../../texts/orders/states.ts';
import { AttemptDetails } from '../../../parts/webhooks/attempt-details.tsx';
import { ResendButton } from '../../../parts/webhooks/resend-button.tsx';

/** One timeline: states, events in between, and every webhook attempt. */
export function OrderTimeline({ orderId }: { orderId: string }) {
  const timeline = useQuery(timelineQuery(orderId));
  return (
    <Card title={timelineTexts.title}>
      {timeline.isPending && <SkeletonRows count={5} />}
      {timeline.isLoadingError && <ErrorState error={timeline.error} onRetry={() => void timeline.refetch()} />}
      {timeline.data?.entries.length === 0 && <EmptyState icon={<History />} title={timelineTexts.empty} />}
      {timeline.data !== undefined && (
        <Timeline label={timelineTexts.label} entries={arrange(timeline.data, orderId)} />
      )}
    </Card>
  );
}

/** Newest first, with pending deliveries on top. */
function arrange({ entries, deliveries }: TimelineAnswer, orderId: string): TimelineEntry[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.eventId, delivery]));
  const past = entries.map((entry, index) =>
    entry.kind === 'attempt'
      ? showAttempt(entry, { orderId, delivery: byId.get(entry.eventId) })
      : show(entry, `${index} ${entry.at}`),
  );
  const open = deliveries.filter(({ state }) => state !== 'delivered' && state !== 'discarded');
  return [...past, ...open.map((delivery) => showPending(delivery, orderId))].toReversed();
}

function show(entry: Exclude<Entry, AttemptEntry>, key: string): TimelineEntry {
  const time = <ZonedTime at={entry.at} />;
  if (entry.kind === 'placed') {
    return { key, time, color: STATE_COLORS.NEW.text, isMajor: true, title: timelineTexts.placed };
  }
  const by = <span className="font-normal text-ink-faint">{timelineTexts.by(nameActor(entry.actor))}</span>;
  if (entry.kind === 'state') {
    const title = (
      <>
        {stateTexts[entry.to].name} {by}
      </>
    );
    return { key, time, color: STATE_COLORS[entry.to].text, isMajor: true, title };
  }
  const note = timelineTexts.notes[entry.note] ?? entry.note;
  const title =
    entry.courier === null ? (
      <>
        {note} {by}
      </>
    ) : (
      timelineTexts.ofCourier(note, entry.courier)
    );
  const isWorded = entry.detail !== null && entry.note !== 'dropoff_fixed';
  return {
    key,
    time,
    color: 'text-ink-faint',
    title,
    ...(isWorded && { children: <p className="text-sm text-ink-soft">{entry.detail}</p> }),
  };
}

function nameActor(actor: string): string {
  const [role = actor] = actor.split(/[ :]/);
  return timelineTexts.actors[role] ?? actor;
}

interface Around {
  orderId: string;
  delivery: TimelineDelivery | undefined;
}

function showAttempt(attempt: AttemptEntry, { orderId, delivery }: Around): TimelineEntry {
  return {
    // Not the index: an opened entry must stay open when another is inserted before it.
    key: `attempt ${attempt.eventId} ${attempt.number} ${attempt.outcome}`,
    time: <ZonedTime at={attempt.at} />,
    color: attempt.outcome === 'delivered' ? 'text-good' : 'text-danger',
    title: <span className={attempt.outcome === 'delivered' ? '' : 'text-danger'}>{sayOutcome(attempt)}</span>,
    ...(attempt.outcome !== 'discarded' &&
      delivery !== undefined && {
        children: <AttemptDetails attempt={attempt} delivery={delivery} orderId={orderId} />,
      }),
  };
}

function sayOutcome({ outcome, status, errorText, errorClass }: AttemptEntry): string {
  if (outcome === 'delivered') return timelineTexts.delivered(status);
  if (outcome === 'discarded') return timelineTexts.discarded;
  return timelineTexts.failed(errorText ?? errorClass ?? (status === null ? '' : timelineTexts.answered(status)));
}

function showPending(delivery: TimelineDelivery, orderId: string): TimelineEntry {
  const { state, nextAttemptAt } = delivery;
  return {
    key: `pending ${delivery.eventId}`,
    color: state === 'held' ? 'text-warn' : 'text-accent',
    title: `${timelineTexts.pending}: ${timelineTexts.endpoints[delivery.endpoint]}`,
    time:
      nextAttemptAt !== null && state === 'waiting' ? (
        <>
          {timelineTexts.next} <RelativeTime at={nextAttemptAt} />
        </>
      ) : null,
    children: (
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-ink-soft">{sayPending(state)}</p>
        <ResendButton delivery={delivery} orderId={orderId} />
      </div>
    ),
  };
}

function sayPending(state: TimelineDelivery['state']): string {
  if (state === 'held') return timelineTexts.held;
  return state === 'sending' ? timelineTexts.nextNow : '';
}
