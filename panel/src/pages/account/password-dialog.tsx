import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { toApiError } from '../../api/api-error.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { accountTexts } from '../../texts/account.ts';
import { commonTexts } from '../../texts/everywhere.ts';

export interface PasswordDialogProps<Answer> {
  text: string;
  mutation: UseMutationResult<Answer, Error, { password: string }>;
  onDone: (answer: Answer) => void;
  onClose: () => void;
}

export function PasswordDialog<Answer>({ text, mutation, onDone, onClose }: PasswordDialogProps<Answer>) {
  const [password, setPassword] = useState('');
  return (
    <Dialog
      title={accountTexts.enterPassword}
      description={text}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{commonTexts.cancel}</Button>
          <Button type="submit" form="password" look="primary" isBusy={mutation.isPending}>
            {accountTexts.goOn}
          </Button>
        </>
      }
    >
      <form
        id="password"
        onSubmit={(event) => {
          event.preventDefault();
          mutation.mutate({ password }, { onSuccess: onDone });
        }}
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
      </form>
    </Dialog>
  );
}
