import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft, SearchX } from 'lucide-react';
import { orderSchema } from '../../../../../src/contract/integrator/orders/schema.ts';
import type { OrderDetail } from '../../../../../src/contract/panel/orders/orders.ts';
import { isFinal } from '../../../../../src/domain/orders/order.ts';
import { toApiError } from '../../../api/api-error.ts';
import { orderQuery } from '../../../api/orders/orders.ts';
import { orderPlanQuery } from '../../../api/planning/planning.ts';
import { Banner } from '../../../ui/banner.tsx';
import { StateBadge } from '../../../parts/orders/badge.tsx';
import { buttonClasses } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/content/empty-state.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { Page } from '../../../ui/content/page.tsx';
import { paths } from '../../../paths.ts';
import { PagePending } from '../../../shell/page-pending.tsx';
import { orderPageTexts } from '../../../texts/orders/order-page.ts';
import { orderTexts } from '../../../texts/orders/orders.ts';
import { stateTexts } from '../../../texts/orders/states.ts';
import { OrderAlarms } from '../../planning/alarms.tsx';
import { OrderWhy } from '../../planning/order-why.tsx';
import { DropoffIssues } from './dropoff-issues.tsx';
import { OrderCommands } from './commands.tsx';
import { AsSent, OrderContent } from './content.tsx';
import { OrderSummary } from './summary.tsx';
import { OrderTimeline } from './timeline.tsx';

export function OrderPage() {
  const { orderId } = useParams({ from: '/app/restaurant/orders/$orderId' });
  const order = useQuery(orderQuery(orderId));
  if (order.isPending) return <PagePending />;
  if (order.isError && toApiError(order.error).status === 404) return <NoSuchOrder />;
  if (order.isLoadingError) return <ErrorState error={order.error} isHeading onRetry={() => void order.refetch()} />;
  return <Order order={order.data} />;
}

/** Also shown for orders of other restaurants, so that their existence is not revealed. */
function NoSuchOrder() {
  return (
    <div className="grid min-h-[60dvh] place-items-center">
      <EmptyState
        icon={<SearchX />}
        title={orderPageTexts.notFound}
        isHeading
        action={
          <Link {...paths.orders()} className={buttonClasses('secondary')}>
            {orderPageTexts.toOrders}
          </Link>
        }
      >
        {orderPageTexts.notFoundText}
      </EmptyState>
    </div>
  );
}

function Order({ order }: { order: OrderDetail }) {
  const content = orderSchema.safeParse(order.content);
  const isUnderWay = !isFinal(order.state);
  // Plan changes send no events, so the plan is polled more often than the order and has the latest times.
  const plan = useQuery({ ...orderPlanQuery(order.id), enabled: isUnderWay });
  return (
    <Page
      title={orderTexts.number(order.orderNumber)}
      mark={<StateBadge state={order.state} />}
      description={stateTexts[order.state].meaning}
      crumb={
        <Link {...paths.orders()} className="inline-flex items-center gap-1 hover:text-ink">
          <ChevronLeft aria-hidden className="size-4" />
          {orderPageTexts.back}
        </Link>
      }
      actions={<OrderCommands order={order} />}
    >
      <div className="flex flex-col gap-3 empty:hidden">
        <OrderAlarms orderId={order.id} />
        <DropoffIssues order={order} content={content.data} />
        {order.isErased && (
          <Banner tone="info" title={orderPageTexts.erasedTitle}>
            {orderPageTexts.erasedText}
          </Banner>
        )}
      </div>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-6">
          {isUnderWay && <OrderWhy orderId={order.id} />}
          <OrderSummary order={order} planned={isUnderWay && plan.data !== undefined ? plan.data : order} />
          {content.success && <OrderContent content={content.data} />}
          {!order.isErased && <AsSent order={order} />}
        </div>
        <OrderTimeline orderId={order.id} />
      </div>
    </Page>
  );
}
