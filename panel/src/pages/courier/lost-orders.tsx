import { PackageX } from 'lucide-react';
import type { LostOrders as Lost } from '../../courier/lost-orders.ts';
import { courierTexts } from '../../texts/courier.ts';
import { BeginAtTop } from './begin-at-top.tsx';
import { BigButton } from './big-button.tsx';

/** Until it was read: whoever rides has no eye for a message that goes by itself. */
export function LostOrders({ lost, dismiss }: Lost) {
  return lost.map(({ orderNumber, ending }) => (
    <section key={orderNumber} role="alert" className="border-b-2 border-danger text-danger tint">
      <BeginAtTop />
      <div className="mx-auto flex max-w-xl flex-col gap-3 px-4 py-3">
        <div className="flex gap-4">
          <PackageX aria-hidden className="size-7 shrink-0" />
          <div className="text-ink">
            <h2 className="text-lg font-bold">
              {ending === 'moved' ? courierTexts.orderMoved(orderNumber) : courierTexts.orderCanceled(orderNumber)}
            </h2>
            <p className="text-lg">
              {ending === 'moved' ? courierTexts.orderMovedText : courierTexts.orderCanceledText}
            </p>
          </div>
        </div>
        <BigButton onClick={() => dismiss(orderNumber)}>{courierTexts.understood}</BigButton>
      </div>
    </section>
  ));
}
