import type { ReactNode } from 'react';
import { commonTexts } from '../../texts/everywhere.ts';
import { Banner } from '../banner.tsx';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';

export interface ConfirmDialogProps {
  title: string;
  /** What will happen, and who is affected. */
  consequence: ReactNode;
  confirmLabel: string;
  /** For confirming a cancellation, where "Cancel" would be ambiguous. */
  refuseLabel?: string;
  isDangerous?: boolean;
  isOpen: boolean;
  isBusy?: boolean;
  /** Error message of the last attempt. */
  problem?: string | undefined;
  disabledReason?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
  children?: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, consequence, confirmLabel, isDangerous = false, isOpen, isBusy = false, problem, children } = props;
  return (
    <Dialog
      title={title}
      description={consequence}
      isOpen={isOpen}
      onClose={props.onClose}
      actions={
        <>
          <Button onClick={props.onClose}>{props.refuseLabel ?? commonTexts.cancel}</Button>
          <Button
            look={isDangerous ? 'danger' : 'primary'}
            isBusy={isBusy}
            disabledReason={props.disabledReason}
            onClick={props.onConfirm}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
      {problem !== undefined && <Banner tone="danger">{problem}</Banner>}
    </Dialog>
  );
}
