import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toApiError } from '../../api/api-error.ts';
import { useForgottenPassword } from '../../api/people/signing-in.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { paths } from '../../paths.ts';
import { signInTexts } from '../../texts/people/sign-in.ts';
import { LINK, SignInFrame } from './sign-in-frame.tsx';

export function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const ask = useForgottenPassword();
  const back = (
    <Link {...paths.signIn()} className={LINK}>
      {signInTexts.back}
    </Link>
  );
  if (ask.isSuccess) {
    return (
      <SignInFrame title={signInTexts.linkSentTitle} footer={back}>
        <p role="status">{signInTexts.linkSent(email)}</p>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={signInTexts.forgotTitle} text={signInTexts.forgotText} footer={back}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate({ email });
        }}
      >
        <Field
          label={signInTexts.email}
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        {ask.isError && <Banner tone="danger">{toApiError(ask.error).message}</Banner>}
        <Button type="submit" look="primary" isBusy={ask.isPending}>
          {signInTexts.sendLink}
        </Button>
      </form>
    </SignInFrame>
  );
}
