import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { toApiError } from '../../api/api-error.ts';
import { useSignIn } from '../../api/people/signing-in.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { paths } from '../../paths.ts';
import { signInTexts } from '../../texts/people/sign-in.ts';
import { LINK, SignInFrame } from './sign-in-frame.tsx';
import { SecondFactorForm } from './second-factor-form.tsx';

export function SignInPage() {
  const { from } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const [isSecondStep, setIsSecondStep] = useState(false);
  // Only paths on this site: a crafted link must not redirect elsewhere after sign-in.
  const target = from !== undefined && /^\/(?![/\\])/.test(from) ? from : '/';
  const enter = (): void => void router.navigate({ href: target, replace: true });
  if (isSecondStep) return <SecondFactorForm onDone={enter} onBack={() => setIsSecondStep(false)} />;
  return <PasswordForm onDone={enter} onSecondStep={() => setIsSecondStep(true)} />;
}

function PasswordForm({ onDone, onSecondStep }: { onDone: () => void; onSecondStep: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useSignIn();
  const submit = (): void =>
    signIn.mutate({ email, password }, { onSuccess: ({ next }) => (next === 'done' ? onDone() : onSecondStep()) });
  return (
    <SignInFrame
      title={signInTexts.title}
      footer={
        <Link {...paths.forgotPassword()} className={LINK}>
          {signInTexts.forgot}
        </Link>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field
          label={signInTexts.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Field
          label={signInTexts.password}
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {!window.isSecureContext && <Banner tone="warn">{signInTexts.needsHttps}</Banner>}
        {signIn.isError && <Banner tone="danger">{toApiError(signIn.error).message}</Banner>}
        <Button type="submit" look="primary" isBusy={signIn.isPending}>
          {signInTexts.submit}
        </Button>
      </form>
    </SignInFrame>
  );
}
