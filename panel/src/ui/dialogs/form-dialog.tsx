import type { ReactNode } from 'react';
import { useId } from 'react';
import { commonTexts } from '../../texts/everywhere.ts';
import { Banner } from '../banner.tsx';
import { Button } from '../button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'isWide' | 'onClose'> {
  submitLabel: string;
  isBusy: boolean;
  /** Why it cannot be submitted yet. */
  disabledReason?: string | null;
  /** Error message that belongs to no field. */
  problem?: string | undefined;
  onSubmit: () => void;
  children: ReactNode;
}

/** Fields with Cancel and Submit below; Enter in any field submits. */
export function FormDialog(props: FormDialogProps) {
  const { submitLabel, isBusy, disabledReason = null, problem, onSubmit, children, ...dialog } = props;
  const id = useId();
  return (
    <Dialog
      {...dialog}
      isOpen
      actions={
        <>
          <Button onClick={dialog.onClose}>{commonTexts.cancel}</Button>
          <Button look="primary" type="submit" form={id} isBusy={isBusy} disabledReason={disabledReason}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {problem !== undefined && <Banner tone="danger">{problem}</Banner>}
      </form>
    </Dialog>
  );
}
