import { useState } from 'react';
import type { TwoFactorAnswer } from '../../../../src/contract/panel/people/account.ts';
import { useBeginTwoFactor, useEndTwoFactor, useNewBackupCodes } from '../../api/people/account.ts';
import { useSession } from '../../api/people/session.ts';
import { Badge } from '../../parts/orders/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/content/page.tsx';
import { SecretOnce } from '../../ui/dialogs/secret-once.tsx';
import { showToast } from '../../ui/toast.tsx';
import { accountTexts } from '../../texts/people/account.ts';
import { PasswordDialog } from './password-dialog.tsx';
import { ScanDialog } from './scan-dialog.tsx';

/** The current step; each step leads to the next. */
type Step =
  | { name: 'none' | 'begin' | 'end' | 'renew' }
  | { name: 'scan'; answer: TwoFactorAnswer }
  | { name: 'codes'; codes: readonly string[] };

export function TwoFactorCard() {
  const { hasTwoFactor } = useSession();
  const [step, setStep] = useState<Step>({ name: 'none' });
  return (
    <Card
      title={accountTexts.twoFactorTitle}
      description={hasTwoFactor ? accountTexts.twoFactorOn : accountTexts.twoFactorOff}
      isFlush
      actions={
        hasTwoFactor ? (
          <>
            <Badge tone="good">{accountTexts.on}</Badge>
            <Button onClick={() => setStep({ name: 'renew' })}>{accountTexts.newBackupCodes}</Button>
            <Button onClick={() => setStep({ name: 'end' })}>{accountTexts.turnOff}</Button>
          </>
        ) : (
          <Button onClick={() => setStep({ name: 'begin' })}>{accountTexts.turnOn}</Button>
        )
      }
    >
      <TwoFactorStep step={step} onStep={setStep} />
    </Card>
  );
}

function TwoFactorStep({ step, onStep }: { step: Step; onStep: (step: Step) => void }) {
  const begin = useBeginTwoFactor();
  const end = useEndTwoFactor();
  const renew = useNewBackupCodes();
  const leave = (): void => onStep({ name: 'none' });
  switch (step.name) {
    case 'none':
      return null;
    case 'begin':
      return (
        <PasswordDialog
          text={accountTexts.enterPasswordText}
          mutation={begin}
          onDone={(answer) => onStep({ name: 'scan', answer })}
          onClose={leave}
        />
      );
    case 'scan':
      return (
        <ScanDialog
          answer={step.answer}
          onDone={() => onStep({ name: 'codes', codes: step.answer.backupCodes })}
          onClose={leave}
        />
      );
    case 'end':
      return (
        <PasswordDialog
          text={accountTexts.turnOffText}
          mutation={end}
          onDone={() => {
            showToast(accountTexts.turnedOff, 'info');
            leave();
          }}
          onClose={leave}
        />
      );
    case 'renew':
      return (
        <PasswordDialog
          text={accountTexts.enterPasswordText}
          mutation={renew}
          onDone={({ backupCodes }) => onStep({ name: 'codes', codes: backupCodes })}
          onClose={leave}
        />
      );
    case 'codes':
      return (
        <SecretOnce
          title={accountTexts.backupTitle}
          secrets={[{ label: accountTexts.backupTitle, value: step.codes.join('\n') }]}
          fileName="waybill-backup-codes.txt"
          onClose={leave}
        />
      );
  }
}
