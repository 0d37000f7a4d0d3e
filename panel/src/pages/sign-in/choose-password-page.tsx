// Target of email links: sets the first password of an invited user, or a new one after it was forgotten.
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../../src/domain/people/roles.ts';
import { toApiError } from '../../api/api-error.ts';
import { linkQuery, useChosenPassword } from '../../api/people/signing-in.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Skeleton } from '../../ui/content/skeleton.tsx';
import { showToast } from '../../ui/toast.tsx';
import { paths } from '../../paths.ts';
import { signInTexts } from '../../texts/people/sign-in.ts';
import { LINK, SignInFrame } from './sign-in-frame.tsx';

/** The token is in the URL fragment, which never reaches servers, proxies or logs. */
export function ChoosePasswordPage() {
  const { hash: token, pathname } = useLocation();
  const title = pathname === '/invitation' ? signInTexts.invitationTitle : signInTexts.resetTitle;
  const link = useQuery(linkQuery(token));
  const restaurant = link.data?.restaurantName ?? null;
  return (
    <SignInFrame
      title={title}
      text={restaurant === null ? undefined : signInTexts.invitationText(restaurant)}
      footer={
        <Link {...paths.forgotPassword()} className={LINK}>
          {signInTexts.askAgain}
        </Link>
      }
    >
      {token === '' && <Banner tone="danger">{signInTexts.linkBroken}</Banner>}
      {link.isLoading && <Skeleton className="h-36" />}
      {link.isError && <Banner tone="danger">{toApiError(link.error).message}</Banner>}
      {link.data !== undefined && (
        <ChoosePasswordForm
          token={token}
          email={link.data.email}
          name={link.data.name}
          isInvitation={link.data.purpose === 'invitation'}
        />
      )}
    </SignInFrame>
  );
}

function ChoosePasswordForm(props: { token: string; email: string; name: string; isInvitation: boolean }) {
  const { token, email, isInvitation } = props;
  const navigate = useNavigate();
  const [name, setName] = useState(props.name);
  const [password, setPassword] = useState('');
  const choose = useChosenPassword();
  const problem = choose.isError ? toApiError(choose.error) : undefined;
  const submit = (): void =>
    choose.mutate(
      { token, password, ...(isInvitation && { name }) },
      {
        onSuccess: () => {
          showToast(signInTexts.passwordSet);
          void navigate(paths.signIn());
        },
      },
    );
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label={signInTexts.email} type="email" autoComplete="username" readOnly value={email} />
      {isInvitation && (
        <Field
          label={signInTexts.yourName}
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <Field
        label={signInTexts.newPassword}
        hint={signInTexts.passwordHint(MIN_PASSWORD_LENGTH)}
        problem={problem?.problemOf('password')}
        type="password"
        autoComplete="new-password"
        minLength={MIN_PASSWORD_LENGTH}
        maxLength={MAX_PASSWORD_LENGTH}
        required
        autoFocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {problem !== undefined && problem.details.length === 0 && <Banner tone="danger">{problem.message}</Banner>}
      <Button type="submit" look="primary" isBusy={choose.isPending}>
        {isInvitation ? signInTexts.join : signInTexts.setPassword}
      </Button>
    </form>
  );
}
