// One order for the operator: the explanation of its assignment and the available actions. No customer data.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft, ExternalLink, SearchX } from 'lucide-react';
import type { OperatorOrderAnswer } from '../../../../src/contract/panel/planning/planning.ts';
import { isFinal } from '../../../../src/domain/orders/order.ts';
import { toApiError } from '../../api/api-error.ts';
import { useSignInAs } from '../../api/operator/overview.ts';
import { operatorOrderQuery } from '../../api/planning/planning.ts';
import { StateBadge } from '../../parts/orders/badge.tsx';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/content/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { KeyValue } from '../../ui/content/key-value.tsx';
import { Card, Page } from '../../ui/content/page.tsx';
import { RelativeTime, ZonedTime } from '../../ui/time/times.tsx';
import { showToast } from '../../ui/toast.tsx';
import { WhyCard } from '../../parts/orders/why-card.tsx';
import { ZoneContext } from '../../ui/time/zone.ts';
import { paths } from '../../paths.ts';
import { PagePending } from '../../shell/page-pending.tsx';
import { operatorOrderTexts, planControlTexts, planningTexts } from '../../texts/planning/planning.ts';
import { whyTexts } from '../../texts/planning/why.ts';
import { AlarmBanner } from './alarm-banner.tsx';
import { CancelFor } from './operator-cancel.tsx';
import { PlanControls } from './plan-controls.tsx';

export function OperatorOrderPage() {
  const { orderId } = useParams({ from: '/app/operator/orders/$orderId' });
  const order = useQuery(operatorOrderQuery(orderId));
  if (order.isPending) return <PagePending />;
  if (order.isError && toApiError(order.error).status === 404) return <NoSuchOrder />;
  if (order.isLoadingError) return <ErrorState error={order.error} isHeading onRetry={() => void order.refetch()} />;
  return (
    // Promised times are shown in the restaurant's zone.
    <ZoneContext value={order.data.timeZone}>
      <Order order={order.data} />
    </ZoneContext>
  );
}

function NoSuchOrder() {
  return (
    <div className="grid min-h-[60dvh] place-items-center">
      <EmptyState
        icon={<SearchX />}
        title={operatorOrderTexts.notFound}
        isHeading
        action={
          <Link {...paths.planning()} className={buttonClasses('secondary')}>
            {operatorOrderTexts.back}
          </Link>
        }
      >
        {operatorOrderTexts.notFoundText}
      </EmptyState>
    </div>
  );
}

function Order({ order }: { order: OperatorOrderAnswer }) {
  return (
    <Page
      title={planningTexts.number(order.orderNumber)}
      mark={<StateBadge state={order.state} />}
      description={order.restaurantName}
      width="narrow"
      crumb={
        <Link {...paths.planning()} className="inline-flex items-center gap-1 hover:text-ink">
          <ChevronLeft aria-hidden className="size-4" />
          {operatorOrderTexts.back}
        </Link>
      }
      actions={
        <>
          <CancelFor order={order} />
          <OpenAsRestaurant order={order} />
        </>
      }
    >
      <div className="flex flex-col gap-3 empty:hidden">
        {order.alarms.map((alarm) => (
          <AlarmBanner key={alarm.kind} alarm={alarm} reader="operator" />
        ))}
      </div>
      {!isFinal(order.state) && (
        <Card title={whyTexts.title}>
          <WhyCard why={order.why} />
        </Card>
      )}
      <PlanFacts order={order} />
      <Card title={planControlTexts.title}>
        <PlanControls orderId={order.orderId} />
      </Card>
    </Page>
  );
}

function PlanFacts({ order }: { order: OperatorOrderAnswer }) {
  const { courier, lockedTo, pickupAt, dropoffAt, plannedAt } = order;
  return (
    <Card title={operatorOrderTexts.plan}>
      <KeyValue
        entries={[
          { name: operatorOrderTexts.placed, value: <ZonedTime at={order.createdAt} /> },
          { name: operatorOrderTexts.courier, value: courier?.name ?? operatorOrderTexts.noCourier },
          { name: operatorOrderTexts.lockedTo, value: lockedTo?.name },
          { name: operatorOrderTexts.pickup, value: pickupAt !== null && <ZonedTime at={pickupAt} detail="time" /> },
          { name: operatorOrderTexts.dropoff, value: dropoffAt !== null && <ZonedTime at={dropoffAt} detail="time" /> },
          { name: operatorOrderTexts.planned, value: plannedAt !== null && <RelativeTime at={plannedAt} /> },
        ]}
      />
    </Card>
  );
}

function OpenAsRestaurant({ order: { orderId, restaurantId } }: { order: OperatorOrderAnswer }) {
  const signInAs = useSignInAs();
  return (
    <Button
      icon={<ExternalLink aria-hidden className="size-4" />}
      isBusy={signInAs.isPending}
      onClick={() =>
        signInAs.mutate({ restaurantId, orderId }, { onError: (error) => showToast(error.message, 'danger') })
      }
    >
      {operatorOrderTexts.openAs}
    </Button>
  );
}
