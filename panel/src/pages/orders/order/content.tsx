import type { OrderRequest } from '../../../../../src/contract/integrator/orders/schema.ts';
import type { OrderDetail } from '../../../../../src/contract/panel/orders/orders.ts';
import { CodeBlock } from '../../../ui/content/code-block.tsx';
import { KeyValue } from '../../../ui/content/key-value.tsx';
import { Lines } from '../../../ui/content/lines.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { ZonedTime } from '../../../ui/time/times.tsx';
import { orderPageTexts } from '../../../texts/orders/order-page.ts';
import { formatAddress } from './address-lines.ts';
import { formatMoney } from '../../../parts/orders/money.ts';

/** The integrator's order in readable form. */
export function OrderContent({ content }: { content: OrderRequest }) {
  return (
    <>
      <ItemsCard content={content} />
      <PlaceCard content={content} />
      <PaymentCard content={content} />
      <WishesCard content={content} />
    </>
  );
}

function ItemsCard({ content }: { content: OrderRequest }) {
  const { items = [], currency = null } = content;
  return (
    <Card title={orderPageTexts.items}>
      {items.length === 0 ? (
        <p className="text-ink-soft">{orderPageTexts.noItems}</p>
      ) : (
        <ul className="flex flex-col gap-2.5">
          {items.map((item, index) => (
            // Two lines may be identical, and the order never changes.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index} className="flex items-baseline gap-3">
              <span className="w-7 shrink-0 text-right font-medium tabular">{item.quantity}×</span>
              <span className="flex min-w-0 flex-1 flex-col">
                <span>{item.name}</span>
                <Lines lines={item.options?.map(({ name }) => `+ ${name}`) ?? []} className="text-sm text-ink-soft" />
                {item.notes !== undefined && <span className="text-sm font-medium text-warn">{item.notes}</span>}
              </span>
              {item.unitPrice !== undefined && (
                <span className="text-ink-soft tabular">{formatMoney(item.unitPrice * item.quantity, currency)}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function PlaceCard({ content }: { content: OrderRequest }) {
  const { customer, dropoff } = content;
  const phone = customer?.phone ?? dropoff?.phone;
  const location = dropoff?.location;
  return (
    <Card title={orderPageTexts.customer}>
      <KeyValue
        entries={[
          { name: orderPageTexts.name, value: customer?.name ?? dropoff?.name },
          {
            name: orderPageTexts.phone,
            value: phone !== undefined && (
              <a href={`tel:${phone}`} className="text-accent hover:underline">
                {phone}
              </a>
            ),
          },
          { name: orderPageTexts.accessCode, value: customer?.phoneAccessCode },
          { name: orderPageTexts.email, value: customer?.email },
          { name: orderPageTexts.address, value: <Lines lines={formatAddress(dropoff?.address)} /> },
          { name: orderPageTexts.instructions, value: dropoff?.instructions },
          {
            name: orderPageTexts.coordinates,
            value: location !== undefined && (
              <span className="tabular">
                {location.latitude}, {location.longitude}
              </span>
            ),
          },
        ]}
      />
    </Card>
  );
}

function PaymentCard({ content }: { content: OrderRequest }) {
  const { payment, totals = {}, tip, currency = null } = content;
  if (payment === undefined && totals.total === undefined && tip === undefined) return null;
  const money = (amount: number | undefined) =>
    amount !== undefined && <span className="tabular">{formatMoney(amount, currency)}</span>;
  const { amountToCollect, cashTendered } = payment ?? {};
  const change =
    amountToCollect !== undefined && cashTendered !== undefined ? cashTendered - amountToCollect : undefined;
  return (
    <Card title={orderPageTexts.payment}>
      <KeyValue
        entries={[
          { name: orderPageTexts.payment, value: payment && orderPageTexts.paymentStatus[payment.status] },
          { name: orderPageTexts.method, value: payment?.method },
          { name: orderPageTexts.toCollect, value: money(amountToCollect) },
          { name: orderPageTexts.tendered, value: money(cashTendered) },
          { name: orderPageTexts.change, value: money(change) },
          { name: orderPageTexts.subtotal, value: money(totals.subtotal) },
          { name: orderPageTexts.tax, value: money(totals.tax) },
          { name: orderPageTexts.deliveryFee, value: money(totals.deliveryFee) },
          { name: orderPageTexts.discount, value: money(totals.discount) },
          { name: orderPageTexts.tip, value: money(tip) },
          { name: orderPageTexts.total, value: money(totals.total) },
        ]}
      />
    </Card>
  );
}

function WishesCard({ content }: { content: OrderRequest }) {
  const { notes, timing, requirements, channel, tags } = content;
  const entries = [
    { name: orderPageTexts.kitchenNote, value: notes?.kitchen },
    { name: orderPageTexts.courierNote, value: notes?.courier },
    {
      name: orderPageTexts.prepMinutes,
      value: timing?.prepMinutes !== undefined && orderPageTexts.minutes(timing.prepMinutes),
    },
    { name: orderPageTexts.readyAt, value: timing?.readyAt !== undefined && <ZonedTime at={timing.readyAt} /> },
    { name: orderPageTexts.vehicle, value: requirements?.vehicle?.join(', ') },
    { name: orderPageTexts.minAge, value: requirements?.minAge },
    { name: orderPageTexts.channel, value: channel },
    { name: orderPageTexts.tags, value: tags?.join(', ') },
  ];
  if (entries.every(({ value }) => value === undefined || value === false)) return null;
  return (
    <Card title={orderPageTexts.notes}>
      <KeyValue entries={entries} />
    </Card>
  );
}

/** The complete request, including unknown fields, as plain text. */
export function AsSent({ order }: { order: OrderDetail }) {
  return (
    <Card>
      <details>
        <summary className="font-medium">{orderPageTexts.asSent}</summary>
        <div className="mt-4 flex flex-col gap-4">
          {order.warnings.length > 0 && (
            <div className="flex flex-col gap-1">
              <p className="label">{orderPageTexts.warnings}</p>
              <ul className="list-inside list-disc text-ink-soft">
                {order.warnings.map((warning) => (
                  <li key={warning}>{warning}</li>
                ))}
              </ul>
            </div>
          )}
          <CodeBlock label={orderPageTexts.json} text={JSON.stringify(order.content, null, 2)} />
        </div>
      </details>
    </Card>
  );
}
