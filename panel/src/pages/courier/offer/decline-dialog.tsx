import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { BigButton } from '../controls/big-button.tsx';

export interface DeclineDialogProps {
  isOpen: boolean;
  onDecline: (reason: string) => void;
  onClose: () => void;
}

/** Declining takes one tap: the offer expires within a minute, and nobody types while riding. */
export function DeclineDialog({ isOpen, onDecline, onClose }: DeclineDialogProps) {
  return (
    <Dialog
      title={courierTexts.declineTitle}
      description={<span className="text-lg text-ink">{courierTexts.declineText}</span>}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <BigButton look="primary" onClick={onClose}>
          {courierTexts.back}
        </BigButton>
      }
    >
      <div className="flex flex-col gap-2">
        {[...courierTexts.declineReasons, courierTexts.declineOther].map((reason) => (
          <BigButton key={reason} onClick={() => onDecline(reason)}>
            {reason}
          </BigButton>
        ))}
      </div>
    </Dialog>
  );
}
