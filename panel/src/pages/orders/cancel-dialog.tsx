import { useState } from 'react';
import type { BoardOrder } from '../../../../src/contract/panel/orders.ts';
import { reasonsOf, type CancelReasonId } from '../../../../src/domain/cancellation.ts';
import { toApiError } from '../../api/api-error.ts';
import { useCancel } from '../../api/orders.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { TextArea } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { showToast } from '../../components/toast.tsx';
import { orderTexts } from '../../texts/orders.ts';

const REASONS = reasonsOf('Restaurant').map((value) => ({ value, label: orderTexts.cancelReasons[value] }));
const LONGEST_TEXT = 500;

export function CancelDialog({ order, onClose }: { order: BoardOrder; onClose: () => void }) {
  const [reasonId, setReasonId] = useState<CancelReasonId>(REASONS[0]?.value ?? 'OTHER');
  const [text, setText] = useState('');
  const cancel = useCancel(order.id);
  const confirm = (): void =>
    cancel.mutate(
      { cancelReasonId: reasonId, ...(text.trim() !== '' && { reason: text }) },
      {
        onSuccess: () => {
          showToast(orderTexts.commandDone.cancel, 'info');
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title={orderTexts.cancelTitle(order.orderNumber)}
      consequence={[orderTexts.cancelText, sayToCourier(order)].filter(Boolean).join(' ')}
      confirmLabel={orderTexts.cancelConfirm}
      refuseLabel={orderTexts.keep}
      isDangerous
      isOpen
      isBusy={cancel.isPending}
      problem={cancel.isError ? toApiError(cancel.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Select
        label={orderTexts.cancelReason}
        hint={orderTexts.cancelConsequences[reasonId]}
        options={REASONS}
        value={reasonId}
        onChange={setReasonId}
      />
      <TextArea
        label={orderTexts.cancelWords}
        hint={orderTexts.cancelWordsHint}
        rows={2}
        maxLength={LONGEST_TEXT}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </ConfirmDialog>
  );
}

function sayToCourier({ courierName, state }: BoardOrder): string {
  if (courierName === null) return '';
  return state === 'ON_DELIVERY' ? orderTexts.cancelOnTheWay(courierName) : orderTexts.cancelCourier(courierName);
}
