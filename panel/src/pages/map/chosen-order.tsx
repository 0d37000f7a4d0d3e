// The selected order: its ETA, its issues, and the explanation of its assignment.
import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { MapOrder } from '../../../../src/contract/panel/planning/map.ts';
import { Badge, StateBadge } from '../../parts/orders/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { KeyValue } from '../../ui/content/key-value.tsx';
import { ZonedTime } from '../../ui/time/times.tsx';
import { WhyCard } from '../../parts/orders/why-card.tsx';
import { paths } from '../../paths.ts';
import { alarmTexts } from '../../texts/planning/planning.ts';
import { mapTexts } from '../../texts/planning/map.ts';
import { whyTexts } from '../../texts/planning/why.ts';
import { PlanControls } from '../planning/plan-controls.tsx';
import { describeHolder } from './model/courier-words.ts';
import { describeLateness, nameOfOrder } from './model/orders.ts';

export interface ChosenOrderProps {
  order: MapOrder;
  /** Set for operators, who see several restaurants. */
  restaurantName: string | undefined;
  now: number;
  onClose: () => void;
}

export function ChosenOrder({ order, restaurantName, now, onClose }: ChosenOrderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Moves the focus here, however the order was selected.
  useEffect(() => heading.current?.focus(), []);
  const lateness = describeLateness(order, now);
  const isOperator = restaurantName !== undefined;
  return (
    <section aria-label={mapTexts.chosen(order.orderNumber)} className="flex flex-col gap-5 p-4">
      <header className="flex flex-col gap-2.5">
        <div className="-mt-1 -ml-2 flex items-center justify-between gap-2">
          <Button look="quiet" size="small" icon={<ArrowLeft aria-hidden className="size-4" />} onClick={onClose}>
            {mapTexts.close}
          </Button>
          <Link
            {...(isOperator ? paths.operatorOrder(order.id) : paths.order(order.id))}
            className={buttonClasses('secondary', 'small')}
          >
            {mapTexts.open}
          </Link>
        </div>
        <h2 ref={heading} tabIndex={-1} className="tabular text-lg font-semibold outline-none">
          {nameOfOrder(order)}
        </h2>
        <div className="flex flex-wrap gap-2">
          <StateBadge state={order.state} />
          <Badge tone={lateness.tone}>{lateness.words}</Badge>
        </div>
      </header>
      {order.alarms.map(({ kind, detail }) => (
        <Banner key={kind} tone="danger" title={alarmTexts.kinds[kind]}>
          {detail}
        </Banner>
      ))}
      <div className="flex flex-col gap-3 rounded-lg border bg-surface p-4">
        <h3 className="label">{whyTexts.title}</h3>
        <WhyCard why={order.why} />
      </div>
      {isOperator && <PlanControls orderId={order.id} />}
      <Facts order={order} restaurantName={restaurantName} />
    </section>
  );
}

function Facts({ order, restaurantName }: Pick<ChosenOrderProps, 'order' | 'restaurantName'>) {
  const { courier, pickupAt, dropoffAt, dueAt, state } = order;
  return (
    <KeyValue
      entries={[
        { name: mapTexts.restaurant, value: restaurantName },
        { name: mapTexts.to, value: order.destination ?? (order.dropoff === null && mapTexts.noDropoff) },
        { name: mapTexts.courier, value: describeHolder(courier) },
        {
          name: mapTexts.pickup,
          value: pickupAt !== null && state !== 'ON_DELIVERY' && <ZonedTime at={pickupAt} detail="time" />,
        },
        { name: mapTexts.dropoff, value: dropoffAt !== null && <ZonedTime at={dropoffAt} detail="time" /> },
        { name: mapTexts.due, value: <ZonedTime at={dueAt} detail="time" /> },
      ]}
    />
  );
}
