import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, LockOpen, Route } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AreasAnswer, PlannedOrderView } from '../../../../src/contract/panel/planning/planning.ts';
import { formatCount } from '../../../../src/domain/counts.ts';
import { areasQuery, plannedOrdersQuery } from '../../api/planning/planning.ts';
import { StateBadge } from '../../parts/orders/badge.tsx';
import { EmptyState } from '../../ui/content/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Card, Page } from '../../ui/content/page.tsx';
import { SkeletonRows } from '../../ui/content/skeleton.tsx';
import { Table, type Column } from '../../ui/content/table.tsx';
import { Age, RelativeTime } from '../../ui/time/times.tsx';
import { paths } from '../../paths.ts';
import { overviewTexts } from '../../texts/operator/overview.ts';
import { alarmTexts, planningTexts } from '../../texts/planning/planning.ts';
import { ReplanButton } from './replan-button.tsx';

export function PlanningPage() {
  return (
    <Page title={planningTexts.title} description={planningTexts.description} actions={<ReplanButton />}>
      <OrderCards />
      <AreasCard />
    </Page>
  );
}

function OrderCards() {
  const list = useQuery(plannedOrdersQuery);
  if (list.isPending) {
    return (
      <Card isFlush>
        <SkeletonRows count={6} />
      </Card>
    );
  }
  if (list.isLoadingError) {
    return (
      <Card>
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      </Card>
    );
  }
  const { orders, isCut } = list.data;
  return (
    <>
      <OrdersCard
        title={planningTexts.alarms}
        description={planningTexts.alarmsText}
        columns={ALARM_COLUMNS}
        orders={orders.filter(({ alarms }) => alarms.length > 0)}
        empty={
          <EmptyState icon={<CircleCheck />} title={planningTexts.noAlarms}>
            {planningTexts.noAlarmsText}
          </EmptyState>
        }
      />
      <OrdersCard
        title={planningTexts.waits}
        description={planningTexts.waitsText}
        columns={WAIT_COLUMNS}
        orders={orders.filter(({ wait }) => wait !== null)}
        isCut={isCut}
        empty={
          <EmptyState icon={<CircleCheck />} title={planningTexts.noWaits}>
            {planningTexts.noWaitsText}
          </EmptyState>
        }
      />
      <OrdersCard
        title={planningTexts.locked}
        description={planningTexts.lockedText}
        columns={LOCK_COLUMNS}
        orders={orders.filter(({ lockedTo }) => lockedTo !== null)}
        empty={
          <EmptyState icon={<LockOpen />} title={planningTexts.noLocked}>
            {planningTexts.noLockedText}
          </EmptyState>
        }
      />
    </>
  );
}

interface OrdersCardProps {
  title: string;
  description: string;
  columns: readonly Column<PlannedOrderView>[];
  orders: readonly PlannedOrderView[];
  empty: ReactNode;
  isCut?: boolean;
}

function OrdersCard({ title, description, columns, orders, empty, isCut = false }: OrdersCardProps) {
  return (
    <Card title={title} description={description} isFlush>
      {orders.length === 0 ? (
        empty
      ) : (
        <Table caption={title} columns={columns} rows={orders} keyOf={({ orderId }) => orderId} />
      )}
      {isCut && <p className="border-t px-5 py-3 text-sm text-ink-faint">{planningTexts.cut}</p>}
    </Card>
  );
}

const ORDER_COLUMNS: readonly Column<PlannedOrderView>[] = [
  {
    header: planningTexts.order,
    isTitle: true,
    cell: ({ orderId, orderNumber }) => (
      <Link {...paths.operatorOrder(orderId)} className="font-medium text-accent tabular hover:underline">
        {planningTexts.number(orderNumber)}
      </Link>
    ),
  },
  { header: planningTexts.restaurant, cell: ({ restaurantName }) => restaurantName },
  { header: planningTexts.state, cell: ({ state }) => <StateBadge state={state} /> },
  { header: planningTexts.age, cell: ({ createdAt }) => <Age since={createdAt} /> },
];

const ALARM_COLUMNS: readonly Column<PlannedOrderView>[] = [
  ...ORDER_COLUMNS,
  {
    header: planningTexts.why,
    cell: ({ alarms }) => (
      <span className="flex min-w-0 flex-col gap-1">
        {alarms.map(({ kind, detail }) => (
          <span key={kind} className="flex flex-col">
            <span className="font-medium text-danger">{alarmTexts.kinds[kind]}</span>
            <span className="text-sm break-words text-ink-soft">{detail}</span>
          </span>
        ))}
      </span>
    ),
  },
];

const WAIT_COLUMNS: readonly Column<PlannedOrderView>[] = [
  ...ORDER_COLUMNS,
  { header: planningTexts.why, cell: ({ wait }) => wait && (overviewTexts.waits[wait.reason] ?? wait.reason) },
  { header: planningTexts.until, cell: ({ wait }) => wait && <Until {...wait} /> },
];

function Until({ reason, until }: NonNullable<PlannedOrderView['wait']>) {
  if (until === null) return planningTexts.whenChanged;
  return (
    <span>
      {reason === 'NOT_YET' ? planningTexts.plannedFrom : planningTexts.givenUp} <RelativeTime at={until} />
    </span>
  );
}

const LOCK_COLUMNS: readonly Column<PlannedOrderView>[] = [
  ...ORDER_COLUMNS,
  { header: planningTexts.lockedTo, cell: ({ lockedTo }) => lockedTo?.name },
];

type Area = AreasAnswer['areas'][number];

function AreasCard() {
  const areas = useQuery(areasQuery);
  return (
    <Card title={planningTexts.areas} description={planningTexts.areasText} isFlush>
      {areas.isPending && <SkeletonRows count={3} />}
      {areas.isLoadingError && <ErrorState error={areas.error} onRetry={() => void areas.refetch()} />}
      {areas.data?.areas.length === 0 && (
        <EmptyState icon={<Route />} title={planningTexts.noAreas}>
          {planningTexts.noAreasText}
        </EmptyState>
      )}
      {areas.data !== undefined && areas.data.areas.length > 0 && (
        <Table caption={planningTexts.areas} columns={AREA_COLUMNS} rows={areas.data.areas} keyOf={({ id }) => id} />
      )}
    </Card>
  );
}

function count(header: string, of: (summary: NonNullable<Area['summary']>) => number): Column<Area> {
  return { header, align: 'right', cell: ({ summary }) => summary && formatCount(of(summary)) };
}

const AREA_COLUMNS: readonly Column<Area>[] = [
  {
    header: planningTexts.area,
    isTitle: true,
    cell: ({ name }) => (
      <span className="font-medium">{name === null ? planningTexts.unnamed : planningTexts.around(name)}</span>
    ),
  },
  {
    header: planningTexts.planned,
    cell: ({ plannedAt }) => (plannedAt === null ? planningTexts.never : <RelativeTime at={plannedAt} />),
  },
  count(planningTexts.orders, ({ orders }) => orders),
  count(planningTexts.waiting, ({ waiting }) => waiting),
  count(planningTexts.couriers, ({ couriers }) => couriers),
  {
    header: planningTexts.duration,
    align: 'right',
    cell: ({ summary }) => summary && planningTexts.ms(summary.durationMs),
  },
  {
    header: planningTexts.rides,
    cell: ({ summary }) =>
      summary && (
        <span className="flex flex-col">
          {summary.travelTimes}
          {summary.bridgedShare > 0 && (
            <span className="text-sm text-warn">{planningTexts.bridged(summary.bridgedShare)}</span>
          )}
        </span>
      ),
  },
];
