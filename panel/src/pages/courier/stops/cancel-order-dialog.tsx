import { useState } from 'react';
import { COURIER_CANCEL_REASONS, type CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useCancelOrder } from '../../../api/couriers/courier.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { TextArea } from '../../../ui/forms/field.tsx';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { BigButton } from '../controls/big-button.tsx';
import { ChoiceList } from '../controls/choice-list.tsx';
import { useIsRested } from '../controls/settled-screen.ts';

type Reason = (typeof COURIER_CANCEL_REASONS)[number];

export interface CancelOrderDialogProps {
  stop: CourierStop;
  /** Closed, not unmounted, so that input survives an interruption. */
  isOpen: boolean;
  /** Why the order cannot be canceled now. */
  disabledReason: string | null;
  onClose: () => void;
}

export function CancelOrderDialog({ stop, isOpen, disabledReason, onClose }: CancelOrderDialogProps) {
  const [reason, setReason] = useState<Reason>();
  const [words, setWords] = useState('');
  const cancel = useCancelOrder();
  // It may reopen under the thumb that has just answered an offer.
  const isRested = useIsRested(String(isOpen));
  const missing = reason === undefined ? courierTexts.chooseReason : null;
  const confirm = (): void => {
    if (reason === undefined) return;
    const text = words.trim();
    cancel.mutate(
      { orderId: stop.orderId, cancelReasonId: reason, ...(text !== '' && { reason: text }) },
      { onSuccess: onClose },
    );
  };
  return (
    <Dialog
      title={courierTexts.cancelTitle(stop.orderNumber)}
      description={<span className="text-lg text-ink">{courierTexts.cancelText}</span>}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <BigButton
            look="danger"
            isBusy={cancel.isPending || !isRested}
            disabledReason={disabledReason ?? missing}
            onClick={confirm}
            className="basis-full"
          >
            {courierTexts.cancelConfirm}
          </BigButton>
          <BigButton look="primary" onClick={onClose}>
            {courierTexts.keepOrder}
          </BigButton>
        </>
      }
    >
      <ChoiceList
        label={courierTexts.cancelReason}
        options={COURIER_CANCEL_REASONS.map((value) => ({ value, label: courierTexts.cancelReasons[value] ?? value }))}
        value={reason}
        onChange={setReason}
      />
      <TextArea
        label={courierTexts.cancelWords}
        hint={courierTexts.cancelWordsHint}
        rows={2}
        value={words}
        maxLength={500}
        className="text-lg"
        onChange={(event) => setWords(event.target.value)}
      />
      {cancel.isError && <Banner tone="danger">{toApiError(cancel.error).message}</Banner>}
    </Dialog>
  );
}
