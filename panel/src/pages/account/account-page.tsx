import { useState } from 'react';
import { useSignOutEverywhere } from '../../api/people/account.ts';
import { toApiError } from '../../api/api-error.ts';
import { useSession } from '../../api/people/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { Card, Page } from '../../ui/content/page.tsx';
import { accountTexts } from '../../texts/people/account.ts';
import { PasswordCard } from './password-card.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';

export function AccountPage() {
  const { email, name } = useSession();
  return (
    <Page title={accountTexts.title} description={name === '' ? email : `${name} · ${email}`} width="narrow">
      <PasswordCard />
      <TwoFactorCard />
      <SessionsCard />
    </Page>
  );
}

function SessionsCard() {
  const [isAsking, setIsAsking] = useState(false);
  const signOut = useSignOutEverywhere();
  return (
    <Card
      title={accountTexts.sessionsTitle}
      description={accountTexts.sessionsText}
      isFlush
      actions={<Button onClick={() => setIsAsking(true)}>{accountTexts.signOutEverywhere}</Button>}
    >
      <ConfirmDialog
        title={accountTexts.signOutEverywhereTitle}
        consequence={accountTexts.sessionsText}
        confirmLabel={accountTexts.signOutEverywhere}
        isDangerous
        isOpen={isAsking}
        isBusy={signOut.isPending}
        problem={signOut.isError ? toApiError(signOut.error).message : undefined}
        onConfirm={() => signOut.mutate()}
        onClose={() => setIsAsking(false)}
      />
    </Card>
  );
}
