// Facts needed at the stop: code and bags at the counter, payment and entry details at the door.
import type { ReactNode } from 'react';
import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { Lines } from '../../../ui/content/lines.tsx';
import { describeAddress } from './directions.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { formatMoney } from '../../../parts/orders/money.ts';

export function PickupFacts({ stop }: { stop: CourierStop }) {
  return (
    <>
      <section className="flex items-end justify-between gap-4 rounded-xl bg-ink px-5 py-4 text-on-ink">
        <h2 className="flex min-w-0 flex-col">
          <span className="text-lg font-medium">{courierTexts.handoverCode}</span>
          <span className="text-5xl leading-tight font-bold tracking-tight break-all tabular">{stop.handoverCode}</span>
        </h2>
        <p className="pb-1 text-xl font-semibold whitespace-nowrap">{courierTexts.bags(stop.bags)}</p>
      </section>
      <Written title={courierTexts.instructions} text={stop.place.instructions} />
      {stop.items.length > 0 && <ItemList stop={stop} />}
    </>
  );
}

/** The ticks are not stored: they only help the courier to count. */
function ItemList({ stop }: { stop: CourierStop }) {
  return (
    <Facts title={courierTexts.itemsToCheck}>
      <ul className="divide-y-2">
        {stop.items.map((item, index) => (
          // An order may contain the same item twice, and items have no id.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <label className="flex min-h-14 items-center gap-4 py-2 text-xl has-checked:text-ink-faint">
              <input type="checkbox" className="size-7 shrink-0 accent-ink" />
              <span className="min-w-0">
                <span className="font-bold tabular">{courierTexts.itemCount(item.quantity)}</span> {item.name}
                <Lines
                  lines={[item.options?.map(({ name }) => name).join(', ') ?? '', item.notes ?? ''].filter(Boolean)}
                  className="text-lg"
                />
              </span>
            </label>
          </li>
        ))}
      </ul>
    </Facts>
  );
}

export function DropoffFacts({ stop }: { stop: CourierStop }) {
  const { entry } = describeAddress(stop.place.address);
  const ways = (['building', 'entrance', 'floor', 'apartment', 'doorCode', 'landmark'] as const).flatMap((name) => {
    const value = entry?.[name];
    return value === undefined || value === '' ? [] : [{ name, value }];
  });
  const tasks = listTasks(stop.requirements);
  return (
    <>
      {stop.cash !== null && <ToCollect cash={stop.cash} />}
      {ways.length > 0 && (
        <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border-2 bg-line">
          {ways.map(({ name, value }) => (
            <div key={name} className="bg-surface px-4 py-3 last:odd:col-span-2">
              <dt className="text-base font-medium text-ink-soft">{courierTexts.entry[name]}</dt>
              <dd className="text-2xl font-bold break-words">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <Written title={courierTexts.notes} text={stop.notes ?? undefined} />
      <Written title={courierTexts.instructions} text={stop.place.instructions} />
      {tasks.length > 0 && (
        <Facts title={courierTexts.toDo}>
          <ul className="flex list-disc flex-col gap-1 pl-6 text-xl">
            {tasks.map((task) => (
              <li key={task}>{task}</li>
            ))}
          </ul>
        </Facts>
      )}
      <p className="text-lg text-ink-soft">
        {courierTexts.order(stop.handoverCode)} · {courierTexts.bags(stop.bags)} · {stop.restaurant}
      </p>
    </>
  );
}

function listTasks({ handover = '', ifUndeliverable = '', proofOfDelivery = [], minAge }: CourierStop['requirements']) {
  return [
    courierTexts.handover[handover],
    minAge === undefined ? undefined : courierTexts.minAge(minAge),
    ...new Set(proofOfDelivery.map((proof) => courierTexts.proof[proof])),
    courierTexts.ifUndeliverable[ifUndeliverable],
  ].filter((task) => task !== undefined);
}

function ToCollect({ cash }: { cash: NonNullable<CourierStop['cash']> }) {
  const { method, toCollect, tendered, change } = cash;
  return (
    <section className="flex flex-col gap-3 rounded-xl bg-ink px-5 py-4 text-on-ink">
      <h2 className="flex flex-col">
        <span className="text-xl font-semibold">{courierTexts.collect[method]}</span>
        <span className="text-6xl leading-none font-extrabold tracking-tight break-words tabular">
          {formatMoney(toCollect.amount, toCollect.currency)}
        </span>
      </h2>
      {tendered !== null && change !== null && (
        <dl className="flex flex-col gap-1 border-t-2 border-on-ink/40 pt-3">
          <div className="flex items-baseline justify-between gap-3">
            <dt className="text-lg">{courierTexts.cashTendered}</dt>
            <dd className="text-xl font-semibold tabular">{formatMoney(tendered.amount, tendered.currency)}</dd>
          </div>
          <div className="flex flex-wrap items-baseline justify-between gap-x-3">
            <dt className="text-xl font-semibold">{courierTexts.cashChange}</dt>
            <dd className="text-4xl leading-tight font-extrabold tracking-tight tabular">
              {change.amount === 0 ? courierTexts.cashNoChange : formatMoney(change.amount, change.currency)}
            </dd>
          </div>
        </dl>
      )}
    </section>
  );
}

function Written({ title, text }: { title: string; text: string | undefined }) {
  if (text === undefined || text === '') return null;
  return (
    <Facts title={title}>
      <p className="text-xl break-words whitespace-pre-line">{text}</p>
    </Facts>
  );
}

function Facts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1">
      <h2 className="text-lg font-bold">{title}</h2>
      {children}
    </section>
  );
}
