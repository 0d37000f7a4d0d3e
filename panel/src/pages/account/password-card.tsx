import { useState } from 'react';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../../src/domain/people/roles.ts';
import { useChangePassword } from '../../api/people/account.ts';
import { toApiError } from '../../api/api-error.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Card } from '../../ui/content/page.tsx';
import { showToast } from '../../ui/toast.tsx';
import { accountTexts } from '../../texts/people/account.ts';
import { signInTexts } from '../../texts/people/sign-in.ts';

export function PasswordCard() {
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const change = useChangePassword();
  const problem = change.isError ? toApiError(change.error) : undefined;
  const submit = (): void =>
    change.mutate(
      { currentPassword, newPassword },
      {
        onSuccess: () => {
          setCurrentPassword('');
          setNewPassword('');
          showToast(accountTexts.passwordChanged);
        },
      },
    );
  return (
    <Card title={accountTexts.passwordTitle} description={accountTexts.passwordText}>
      <form
        className="flex max-w-sm flex-col items-start gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field
          label={accountTexts.currentPassword}
          frameClassName="w-full"
          type="password"
          autoComplete="current-password"
          required
          value={currentPassword}
          problem={problem?.problemOf('currentPassword')}
          onChange={(event) => setCurrentPassword(event.target.value)}
        />
        <Field
          label={accountTexts.newPassword}
          frameClassName="w-full"
          hint={signInTexts.passwordHint(MIN_PASSWORD_LENGTH)}
          type="password"
          autoComplete="new-password"
          minLength={MIN_PASSWORD_LENGTH}
          maxLength={MAX_PASSWORD_LENGTH}
          required
          value={newPassword}
          problem={problem?.problemOf('newPassword')}
          onChange={(event) => setNewPassword(event.target.value)}
        />
        {problem !== undefined && problem.details.length === 0 && (
          <Banner tone="danger" className="w-full">
            {problem.message}
          </Banner>
        )}
        <Button type="submit" isBusy={change.isPending}>
          {accountTexts.changePassword}
        </Button>
      </form>
    </Card>
  );
}
