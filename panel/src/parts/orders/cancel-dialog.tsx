// Cancels an order, by its restaurant or by the operator on behalf of someone else.
import { useState } from 'react';
import { reasonsOf, type CanceledBy, type CancelReasonId } from '../../../../src/domain/orders/cancellation.ts';
import type { OrderState } from '../../../../src/domain/orders/order.ts';
import { cancelTexts } from '../../texts/orders/cancel.ts';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { TextArea } from '../../ui/forms/field.tsx';
import { Select } from '../../ui/forms/select.tsx';

const MAX_TEXT_LENGTH = 500;

export interface CancelDialogProps {
  order: { orderNumber: string; state: OrderState; courierName: string | null };
  /** Parties that can be recorded as the canceler; the first is the default. */
  behalf: readonly [CanceledBy, ...CanceledBy[]];
  reader: 'restaurant' | 'operator';
  isBusy: boolean;
  problem: string | undefined;
  onConfirm: (chosen: { cancelReasonId: CancelReasonId; canceledBy: CanceledBy; reason?: string }) => void;
  onClose: () => void;
}

export function CancelDialog({ order, behalf, reader, isBusy, problem, onConfirm, onClose }: CancelDialogProps) {
  const [canceledBy, setCanceledBy] = useState(behalf[0]);
  const [chosen, setChosen] = useState<CancelReasonId>();
  const [text, setText] = useState('');
  const reasons = reasonsOf(canceledBy);
  const cancelReasonId = reasons.find((reason) => reason === chosen) ?? reasons[0] ?? 'OTHER';
  return (
    <ConfirmDialog
      title={cancelTexts.title(order.orderNumber)}
      consequence={[cancelTexts.text[reader], sayToCourier(order)].filter(Boolean).join(' ')}
      confirmLabel={cancelTexts.confirm}
      refuseLabel={cancelTexts.keep}
      isDangerous
      isOpen
      isBusy={isBusy}
      problem={problem}
      onConfirm={() => onConfirm({ cancelReasonId, canceledBy, ...(text.trim() !== '' && { reason: text }) })}
      onClose={onClose}
    >
      {behalf.length > 1 && (
        <Select
          label={cancelTexts.behalf}
          hint={cancelTexts.behalfHint}
          options={behalf.map((value) => ({ value, label: cancelTexts.behalfOf[value] }))}
          value={canceledBy}
          onChange={setCanceledBy}
        />
      )}
      <Select
        label={cancelTexts.reason}
        hint={cancelTexts.consequences[reader](cancelReasonId)}
        options={reasons.map((value) => ({ value, label: cancelTexts.reasons[value] }))}
        value={cancelReasonId}
        onChange={setChosen}
      />
      <TextArea
        label={cancelTexts.message}
        hint={cancelTexts.messageHint}
        rows={2}
        maxLength={MAX_TEXT_LENGTH}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </ConfirmDialog>
  );
}

function sayToCourier({ courierName, state }: CancelDialogProps['order']): string {
  if (courierName === null) return '';
  return state === 'ON_DELIVERY' ? cancelTexts.onTheWay(courierName) : cancelTexts.courier(courierName);
}
