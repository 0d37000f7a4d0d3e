import { RotateCw } from 'lucide-react';
import type { TimelineDelivery } from '../../../../src/contract/panel/orders/timeline.ts';
import { useResend } from '../../api/orders/orders.ts';
import { Button } from '../../ui/button.tsx';
import { showToast } from '../../ui/toast.tsx';
import { timelineTexts } from '../../texts/orders/order-page.ts';

export function ResendButton({ delivery, orderId }: { delivery: TimelineDelivery; orderId: string }) {
  const resend = useResend(orderId);
  return (
    <Button
      size="small"
      icon={<RotateCw aria-hidden className="size-3.5" />}
      isBusy={resend.isPending}
      disabledReason={delivery.state === 'sending' ? timelineTexts.resendSending : null}
      onClick={() =>
        resend.mutate(delivery.eventId, {
          onSuccess: ({ result }) => showToast(timelineTexts.resendDone[result], result === 'queued' ? 'good' : 'warn'),
          onError: (error) => showToast(error.message, 'danger'),
        })
      }
    >
      {timelineTexts.resend}
    </Button>
  );
}
