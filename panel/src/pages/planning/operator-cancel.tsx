import { useState } from 'react';
import type { OperatorOrderAnswer } from '../../../../src/contract/panel/planning/planning.ts';
import { CANCELED_BY } from '../../../../src/domain/orders/cancellation.ts';
import { isFinal } from '../../../../src/domain/orders/order.ts';
import { useCancelFor } from '../../api/planning/planning.ts';
import { Button } from '../../ui/button.tsx';
import { CancelDialog, type CancelDialogProps } from '../../parts/orders/cancel-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { cancelTexts } from '../../texts/orders/cancel.ts';
import { operatorOrderTexts } from '../../texts/planning/planning.ts';

/** The operator cancels on behalf of another party, with one of that party's reasons. */
export function CancelFor({ order }: { order: OperatorOrderAnswer }) {
  const [isAsked, setIsAsked] = useState(false);
  const cancel = useCancelFor(order.orderId);
  const close = (): void => {
    setIsAsked(false);
    cancel.reset();
  };
  const confirm: CancelDialogProps['onConfirm'] = (request) =>
    cancel.mutate(request, {
      onSuccess: () => {
        showToast(cancelTexts.done, 'info');
        close();
      },
    });
  return (
    <>
      <Button
        disabledReason={isFinal(order.state) ? operatorOrderTexts.isFinished : null}
        onClick={() => setIsAsked(true)}
      >
        {operatorOrderTexts.cancel}
      </Button>
      {isAsked && (
        <CancelDialog
          order={{ ...order, courierName: nameOfCourier(order) }}
          behalf={CANCELED_BY}
          reader="operator"
          isBusy={cancel.isPending}
          problem={cancel.error?.message}
          onConfirm={confirm}
          onClose={close}
        />
      )}
    </>
  );
}

/** A courier with only a planned assignment does not know about it. */
function nameOfCourier({ courier, isAccepted, state }: OperatorOrderAnswer): string | null {
  return isAccepted || state === 'ASSIGNED' ? (courier?.name ?? null) : null;
}
