import { Link } from '@tanstack/react-router';
import { CircleCheck, ExternalLink } from 'lucide-react';
import type { OrderToLookAt, OverviewAnswer } from '../../../../../src/contract/panel/operator/overview.ts';
import { useSignInAs } from '../../../api/operator/overview.ts';
import { Badge, StateBadge } from '../../../parts/orders/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/content/empty-state.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { Age } from '../../../ui/time/times.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { paths } from '../../../paths.ts';
import { operatorTexts, overviewTexts } from '../../../texts/operator/overview.ts';
import { alarmTexts } from '../../../texts/planning/planning.ts';

/** Orders that need attention, with the reason. */
export function LookCard({ orders }: { orders: OverviewAnswer['orders'] }) {
  return (
    <Card title={overviewTexts.attentionTitle} description={overviewTexts.attentionText} isFlush>
      {orders.toLookAt.length === 0 ? (
        <EmptyState icon={<CircleCheck />} title={overviewTexts.attentionNone}>
          {overviewTexts.attentionNoneText}
        </EmptyState>
      ) : (
        <Table
          caption={overviewTexts.attentionTitle}
          columns={COLUMNS}
          rows={orders.toLookAt}
          keyOf={({ orderId }) => orderId}
        />
      )}
      {orders.isCut && <p className="border-t px-5 py-3 text-sm text-ink-faint">{overviewTexts.attentionCut}</p>}
    </Card>
  );
}

const COLUMNS: readonly Column<OrderToLookAt>[] = [
  {
    header: overviewTexts.order,
    isTitle: true,
    cell: (order) => (
      <span className="flex min-w-0 flex-col">
        <Link {...paths.operatorOrder(order.orderId)} className="font-medium tabular text-accent hover:underline">
          {overviewTexts.number(order.orderNumber)}
        </Link>
        <span className="truncate text-sm text-ink-faint">{order.providerOrderId}</span>
      </span>
    ),
  },
  { header: operatorTexts.restaurant, cell: ({ restaurantName }) => restaurantName },
  { header: overviewTexts.state, cell: ({ state }) => <StateBadge state={state} /> },
  {
    header: overviewTexts.age,
    cell: ({ createdAt, isLate }) => (
      <span className="flex items-center gap-2 whitespace-nowrap">
        <Age since={createdAt} />
        {isLate && <Badge tone="danger">{overviewTexts.lateMark}</Badge>}
      </span>
    ),
  },
  { header: overviewTexts.why, cell: (order) => <Why order={order} /> },
  {
    header: operatorTexts.actions,
    isHeaderHidden: true,
    align: 'right',
    cell: (order) => <OpenOrder order={order} />,
  },
];

function Why({ order }: { order: OrderToLookAt }) {
  const { alarm, waitReason, state } = order;
  if (alarm !== null) {
    return (
      <span className="flex min-w-0 flex-col text-right sm:text-left">
        <span className="font-medium text-danger">{alarmTexts.kinds[alarm.kind]}</span>
        <span className="text-sm break-words text-ink-soft">{alarm.detail}</span>
      </span>
    );
  }
  if (waitReason !== null) return overviewTexts.waits[waitReason] ?? waitReason;
  return state === 'NEW' ? overviewTexts.unapproved : overviewTexts.slow;
}

function OpenOrder({ order }: { order: OrderToLookAt }) {
  const signInAs = useSignInAs();
  const { orderId, orderNumber, restaurantId, restaurantName } = order;
  return (
    <Button
      look="quiet"
      size="icon"
      isBusy={signInAs.isPending}
      aria-label={overviewTexts.openOrder(orderNumber, restaurantName)}
      icon={<ExternalLink aria-hidden className="size-4" />}
      onClick={() =>
        signInAs.mutate({ restaurantId, orderId }, { onError: (error) => showToast(error.message, 'danger') })
      }
    />
  );
}
