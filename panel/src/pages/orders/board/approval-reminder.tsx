import { useEffect, useState } from 'react';
import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { useNow } from '../../../ui/time/now.ts';
import { formatDuration } from '../../../ui/time/time-words.ts';
import { playTone } from '../../../ui/sound.ts';
import { orderTexts } from '../../../texts/orders/orders.ts';
import { BulkApproval } from './bulk-approval.tsx';
import { reminderFor } from './urgency.ts';

const STEP_MS = 5000;

/** Reminds of unapproved orders: the longer they wait, the more often it sounds. */
export function ApprovalReminder({ orders }: { orders: readonly BoardOrder[] }) {
  const now = useNow(STEP_MS);
  const [isApproving, setIsApproving] = useState(false);
  const waiting = orders.filter((order) => order.state === 'NEW');
  const reminder = reminderFor(waiting, now);
  useReminderSound(reminder?.everyMs ?? null);
  return (
    <>
      {reminder !== null && (
        <Banner
          tone={reminder.urgency === 'late' ? 'danger' : 'warn'}
          title={orderTexts.waiting(waiting.length)}
          actions={
            <Button look="primary" size="small" onClick={() => setIsApproving(true)}>
              {orderTexts.approveAll(waiting.length)}
            </Button>
          }
        >
          {orderTexts.waitingLongest(formatDuration(reminder.oldestMs))}
        </Banner>
      )}
      {isApproving && <BulkApproval orders={waiting} onClose={() => setIsApproving(false)} />}
    </>
  );
}

function useReminderSound(everyMs: number | null): void {
  // In whole steps: a pause that shrinks by a few milliseconds must not restart the interval.
  const pauseMs = everyMs === null ? null : Math.ceil(everyMs / STEP_MS) * STEP_MS;
  useEffect(() => {
    if (pauseMs === null) return;
    const timer = setInterval(() => playTone('reminder'), pauseMs);
    return () => clearInterval(timer);
  }, [pauseMs]);
}
