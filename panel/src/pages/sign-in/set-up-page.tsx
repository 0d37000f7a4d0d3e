import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../../src/domain/people/roles.ts';
import { toApiError } from '../../api/api-error.ts';
import { sessionQuery } from '../../api/people/session.ts';
import { useSetUp } from '../../api/people/signing-in.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { paths } from '../../paths.ts';
import { signInTexts } from '../../texts/people/sign-in.ts';
import { LINK, SignInFrame } from './sign-in-frame.tsx';

const EMPTY = { code: '', email: '', name: '', password: '' };

export function SetUpPage() {
  const session = useQuery(sessionQuery);
  if (session.data?.needsSetUp === false) {
    return (
      <SignInFrame title={signInTexts.setUpTitle} text={signInTexts.alreadySetUp}>
        <Link {...paths.signIn()} className={LINK}>
          {signInTexts.title}
        </Link>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={signInTexts.setUpTitle} text={signInTexts.setUpText}>
      <SetUpForm />
    </SignInFrame>
  );
}

function SetUpForm() {
  const navigate = useNavigate();
  const [form, setForm] = useState(EMPTY);
  const setUp = useSetUp();
  const problem = setUp.isError ? toApiError(setUp.error) : undefined;
  const field = (name: keyof typeof EMPTY) => ({
    name,
    required: true,
    value: form[name],
    problem: problem?.problemOf(name),
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        setUp.mutate(form, { onSuccess: () => void navigate(paths.signIn()) });
      }}
    >
      <Field {...field('code')} label={signInTexts.setUpCode} hint={signInTexts.setUpCodeHint} autoFocus />
      <Field {...field('name')} label={signInTexts.yourName} autoComplete="name" />
      <Field {...field('email')} label={signInTexts.email} type="email" autoComplete="username" />
      <Field
        {...field('password')}
        label={signInTexts.password}
        hint={signInTexts.passwordHint(MIN_PASSWORD_LENGTH)}
        type="password"
        autoComplete="new-password"
        minLength={MIN_PASSWORD_LENGTH}
        maxLength={MAX_PASSWORD_LENGTH}
      />
      {problem !== undefined && problem.details.length === 0 && <Banner tone="danger">{problem.message}</Banner>}
      <Button type="submit" look="primary" isBusy={setUp.isPending}>
        {signInTexts.createOperator}
      </Button>
    </form>
  );
}
