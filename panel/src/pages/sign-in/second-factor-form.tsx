import { useState } from 'react';
import { toApiError } from '../../api/api-error.ts';
import { useSecondFactor } from '../../api/people/signing-in.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { signInTexts } from '../../texts/people/sign-in.ts';
import { LINK, SignInFrame } from './sign-in-frame.tsx';

export function SecondFactorForm({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  const [code, setCode] = useState('');
  const check = useSecondFactor();
  return (
    <SignInFrame
      title={signInTexts.codeTitle}
      text={signInTexts.codeText}
      footer={
        <button type="button" className={LINK} onClick={onBack}>
          {signInTexts.back}
        </button>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          check.mutate({ code }, { onSuccess: onDone });
        }}
      >
        <Field
          label={signInTexts.code}
          hint={signInTexts.codeHint}
          autoComplete="one-time-code"
          className="font-mono tracking-widest"
          required
          autoFocus
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
        {check.isError && <Banner tone="danger">{toApiError(check.error).message}</Banner>}
        <Button type="submit" look="primary" isBusy={check.isPending}>
          {signInTexts.submit}
        </Button>
      </form>
    </SignInFrame>
  );
}
