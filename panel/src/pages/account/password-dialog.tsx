import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { toApiError } from '../../api/api-error.ts';
import { Field } from '../../ui/forms/field.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { accountTexts } from '../../texts/people/account.ts';

export interface PasswordDialogProps<Answer> {
  text: string;
  mutation: UseMutationResult<Answer, Error, { password: string }>;
  onDone: (answer: Answer) => void;
  onClose: () => void;
}

export function PasswordDialog<Answer>({ text, mutation, onDone, onClose }: PasswordDialogProps<Answer>) {
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title={accountTexts.enterPassword}
      description={text}
      submitLabel={accountTexts.continue}
      isBusy={mutation.isPending}
      onSubmit={() => mutation.mutate({ password }, { onSuccess: onDone })}
      onClose={onClose}
    >
      <Field
        label={accountTexts.password}
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        value={password}
        problem={mutation.isError ? toApiError(mutation.error).message : undefined}
        onChange={(event) => setPassword(event.target.value)}
      />
    </FormDialog>
  );
}
