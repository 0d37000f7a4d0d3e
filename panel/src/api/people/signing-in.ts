// Calls that need no session.
import { queryOptions, useMutation } from '@tanstack/react-query';
import { signInApi } from '../../../../src/contract/panel/people/sign-in.ts';
import type { SentBody } from '../../../../src/contract/panel/routes.ts';
import { api } from '../client.ts';
import { useFreshStart } from './session.ts';

export function useSignIn() {
  const resetSession = useFreshStart();
  return useMutation({
    mutationFn: (body: SentBody<typeof signInApi.signIn>) => api.call(signInApi.signIn, { body }),
    onSuccess: (answer) => (answer.next === 'done' ? resetSession() : undefined),
  });
}

export function useSecondFactor() {
  const resetSession = useFreshStart();
  return useMutation({
    mutationFn: (body: SentBody<typeof signInApi.passSecondFactor>) => api.call(signInApi.passSecondFactor, { body }),
    onSuccess: resetSession,
  });
}

export function useForgottenPassword() {
  return useMutation({
    mutationFn: (body: SentBody<typeof signInApi.requestReset>) => api.call(signInApi.requestReset, { body }),
  });
}

/** What a link from an email allows. */
export function linkQuery(token: string) {
  return queryOptions({
    queryKey: ['link', token],
    queryFn: () => api.call(signInApi.readLink, { body: { token } }),
    enabled: token !== '',
    retry: false,
  });
}

export function useChosenPassword() {
  return useMutation({
    mutationFn: (body: SentBody<typeof signInApi.choosePassword>) => api.call(signInApi.choosePassword, { body }),
  });
}

export function useSetUp() {
  const resetSession = useFreshStart();
  return useMutation({
    mutationFn: (body: SentBody<typeof signInApi.setUp>) => api.call(signInApi.setUp, { body }),
    onSuccess: resetSession,
  });
}
