import { Badge } from '../../../parts/orders/badge.tsx';
import { couriersTexts } from '../../../texts/operator/couriers.ts';

export function DutyBadge({ courier }: { courier: { onDuty: boolean } }) {
  return (
    <Badge tone={courier.onDuty ? 'good' : 'neutral'}>
      {courier.onDuty ? couriersTexts.onDuty : couriersTexts.offDuty}
    </Badge>
  );
}
