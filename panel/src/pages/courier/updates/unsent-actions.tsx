// Actions not yet sent, and actions that the service refused.
import { CloudOff, Clock3, OctagonAlert } from 'lucide-react';
import { formatZoned } from '../../../ui/time/time-words.ts';
import { useRestaurantZone } from '../../../ui/time/zone.ts';
import type { QueuedAct } from '../../../api/couriers/action-list.ts';
import type { Acts } from '../../../api/couriers/outbox.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { BeginAtTop } from '../controls/scroll-to-top.tsx';
import { BigButton } from '../controls/big-button.tsx';

/** As wide as a phone, even on wider screens. */
const ROW = 'mx-auto flex max-w-xl gap-4 px-4 py-3';

export function QueuedActs({ acts, isOffline }: { acts: Acts; isOffline: boolean }) {
  const orders = new Map<string, QueuedAct[]>();
  for (const act of acts.refused) orders.set(act.orderId, [...(orders.get(act.orderId) ?? []), act]);
  return (
    <div aria-live="polite">
      {isOffline && (
        <div className="border-b-2 border-warn text-warn tint">
          <div className={ROW}>
            <CloudOff aria-hidden className="size-7 shrink-0" />
            <div className="text-ink">
              <p className="text-lg font-bold">{courierTexts.offline}</p>
              <p className="text-base">{courierTexts.offlineHint}</p>
            </div>
          </div>
        </div>
      )}
      {acts.waiting.length > 0 && <WaitingActs acts={acts.waiting} />}
      {[...orders].map(([orderId, refused]) => (
        <RefusedActs key={orderId} orderId={orderId} refused={refused} acts={acts} />
      ))}
    </div>
  );
}

function WaitingActs({ acts }: { acts: readonly QueuedAct[] }) {
  return (
    <div className="border-b-2">
      <div className={ROW}>
        <Clock3 aria-hidden className="size-7 shrink-0" />
        <div>
          <p className="text-lg font-bold">{courierTexts.waitingToSend(acts.length)}</p>
          <ActLines acts={acts} />
        </div>
      </div>
    </div>
  );
}

function RefusedActs({ orderId, refused, acts }: { orderId: string; refused: readonly QueuedAct[]; acts: Acts }) {
  const number = refused[0]?.orderNumber ?? '';
  return (
    <section role="alert" className="border-b-2 border-danger pb-3 text-danger tint">
      <BeginAtTop />
      <div className={ROW}>
        <OctagonAlert aria-hidden className="size-7 shrink-0" />
        <div className="text-ink">
          <h2 className="text-lg font-bold">{courierTexts.refusedTitle(number)}</h2>
          <ActLines acts={refused} />
        </div>
      </div>
      <div className="mx-auto flex max-w-xl gap-3 px-4">
        <BigButton onClick={() => void acts.queue.sendAgain(orderId)}>{courierTexts.sendAgain}</BigButton>
        <BigButton onClick={() => void acts.queue.dismiss(orderId)}>{courierTexts.understood}</BigButton>
      </div>
    </section>
  );
}

function ActLines({ acts }: { acts: readonly QueuedAct[] }) {
  const timeZone = useRestaurantZone();
  return (
    <ul className="text-base">
      {acts.map(({ id, kind, orderNumber, at, refusal }) => (
        <li key={id}>
          {courierTexts.actLine(courierTexts.actDone[kind], orderNumber, formatZoned(at, timeZone, 'time'))}
          {refusal !== null && (
            <span className="block text-lg font-medium">{refusal.explanation ?? courierTexts.refusedBefore}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
