import { useState } from 'react';
import type { TwoFactorAnswer } from '../../../../src/contract/panel/people/account.ts';
import { useConfirmTwoFactor } from '../../api/people/account.ts';
import { toApiError } from '../../api/api-error.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { accountTexts } from '../../texts/people/account.ts';
import { QrCode } from './qr-code.tsx';

export interface ScanDialogProps {
  answer: TwoFactorAnswer;
  onDone: () => void;
  onClose: () => void;
}

export function ScanDialog({ answer, onDone, onClose }: ScanDialogProps) {
  const [code, setCode] = useState('');
  const confirm = useConfirmTwoFactor();
  const finish = (): void => {
    showToast(accountTexts.turnedOn);
    onDone();
  };
  return (
    <FormDialog
      title={accountTexts.scanTitle}
      description={accountTexts.scanText}
      submitLabel={accountTexts.confirm}
      isBusy={confirm.isPending}
      onSubmit={() => confirm.mutate({ code }, { onSuccess: finish })}
      onClose={onClose}
    >
      <QrCode text={answer.otpauthUri} label={accountTexts.qrCode} />
      <div className="flex flex-col gap-1.5">
        <span className="text-sm font-medium">{accountTexts.key}</span>
        <span className="flex items-center gap-2">
          <code className="min-w-0 flex-1 rounded-md border bg-sunken px-3 py-2 font-mono text-sm break-words">
            {inGroups(answer.secret)}
          </code>
          <CopyButton text={answer.secret} of={accountTexts.key} />
        </span>
      </div>
      <Field
        label={accountTexts.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        className="font-mono tracking-widest"
        required
        value={code}
        problem={confirm.isError ? toApiError(confirm.error).message : undefined}
        onChange={(event) => setCode(event.target.value)}
      />
    </FormDialog>
  );
}

/** Groups of four are easier to type without losing the place. */
function inGroups(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
