// The assignment explanation on the page of an order in progress.
import { useQuery } from '@tanstack/react-query';
import { orderPlanQuery } from '../../api/planning/planning.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Card } from '../../ui/content/page.tsx';
import { Skeleton } from '../../ui/content/skeleton.tsx';
import { WhyCard } from '../../parts/orders/why-card.tsx';
import { whyTexts } from '../../texts/planning/why.ts';

export function OrderWhy({ orderId }: { orderId: string }) {
  const plan = useQuery(orderPlanQuery(orderId));
  return (
    <Card title={whyTexts.title}>
      {plan.isPending && <Skeleton className="h-12" />}
      {plan.isLoadingError && <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />}
      {plan.data !== undefined && <WhyCard why={plan.data.why} />}
    </Card>
  );
}
