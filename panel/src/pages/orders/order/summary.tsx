import type { OrderDetail } from '../../../../../src/contract/panel/orders/orders.ts';
import { courierPhotoUrl } from '../../../api/orders/orders.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { KeyValue } from '../../../ui/content/key-value.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { RelativeTime, ZonedTime } from '../../../ui/time/times.tsx';
import { cancelTexts } from '../../../texts/orders/cancel.ts';
import { orderPageTexts } from '../../../texts/orders/order-page.ts';
import { isCancelReasonId } from '../../../../../src/domain/orders/cancellation.ts';

export interface OrderSummaryProps {
  order: OrderDetail;
  planned: Pick<OrderDetail, 'pickupAt' | 'dropoffAt'>;
}

export function OrderSummary({ order, planned }: OrderSummaryProps) {
  const at = (time: string | null) => time !== null && <ZonedTime at={time} />;
  return (
    <Card title={orderPageTexts.summary}>
      <KeyValue
        entries={[
          {
            name: orderPageTexts.integratorId,
            value: <Copied text={order.orderId} of={orderPageTexts.integratorId} />,
          },
          { name: orderPageTexts.serviceId, value: <Copied text={order.id} of={orderPageTexts.serviceId} /> },
          {
            name: orderPageTexts.placed,
            value: (
              <span className="flex flex-wrap gap-x-2">
                <ZonedTime at={order.createdAt} />
                <span className="text-ink-faint">
                  <RelativeTime at={order.createdAt} />
                </span>
              </span>
            ),
          },
          { name: orderPageTexts.wanted, value: at(order.wantedAt) },
          { name: orderPageTexts.courier, value: order.courierName !== null && <CourierLine order={order} /> },
          { name: orderPageTexts.pickupEta, value: at(planned.pickupAt) },
          { name: orderPageTexts.dropoffEta, value: at(planned.dropoffAt) },
          {
            name: orderPageTexts.deadline,
            value: order.deadlineAt !== null && (
              <span className="flex flex-wrap gap-x-2">
                <ZonedTime at={order.deadlineAt} />
                <span className="text-ink-faint">
                  {orderPageTexts.deadlineIf[order.state === 'NEW' ? 'NEW' : 'other']}
                </span>
              </span>
            ),
          },
          {
            name: orderPageTexts.canceled,
            value: order.cancellation !== null && <CancellationLine cancellation={order.cancellation} />,
          },
        ]}
      />
    </Card>
  );
}

function Copied({ text, of }: { text: string; of: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <code className="min-w-0 font-mono text-sm break-all">{text}</code>
      <CopyButton text={text} of={of} look="quiet" isInline />
    </span>
  );
}

function CourierLine({ order }: { order: OrderDetail }) {
  const { courierName, courierPhone, courierPhotoAt, courierAcceptedAt } = order;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {courierPhotoAt !== null && (
        <img src={courierPhotoUrl(order.id, courierPhotoAt)} alt="" className="size-10 rounded-full object-cover" />
      )}
      {courierName}
      {courierPhone !== null && (
        <a href={`tel:${courierPhone}`} className="text-accent hover:underline">
          {courierPhone}
        </a>
      )}
      <span className="text-ink-faint">
        {courierAcceptedAt === null ? orderPageTexts.offered : orderPageTexts.accepted}
      </span>
    </span>
  );
}

function CancellationLine({ cancellation }: { cancellation: NonNullable<OrderDetail['cancellation']> }) {
  const { reasonId, by, text } = cancellation;
  return (
    <span className="flex flex-col">
      <span>
        {isCancelReasonId(reasonId) ? cancelTexts.reasons[reasonId] : reasonId}{' '}
        <span className="text-ink-faint">{orderPageTexts.canceledBy(by)}</span>
      </span>
      <span className="text-ink-soft">{text}</span>
    </span>
  );
}
