// Calls that need no session.
import { queryOptions, useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import {
  emailAnswer,
  linkAnswer,
  signInAnswer,
  type choosePasswordRequest,
  type resetRequest,
  type secondFactorRequest,
  type setUpRequest,
  type signInRequest,
} from '../../../../src/contract/panel/people/sign-in.ts';
import { api, nothing } from '../client.ts';
import { useFreshStart } from './session.ts';

type Sent<T extends z.ZodType> = z.input<T>;

export function useSignIn() {
  const startAfresh = useFreshStart();
  return useMutation({
    mutationFn: (request: Sent<typeof signInRequest>) => api.post('/api/session', request, signInAnswer),
    onSuccess: (answer) => (answer.next === 'done' ? startAfresh() : undefined),
  });
}

export function useSecondFactor() {
  const startAfresh = useFreshStart();
  return useMutation({
    mutationFn: (request: Sent<typeof secondFactorRequest>) => api.post('/api/session/second-factor', request, nothing),
    onSuccess: startAfresh,
  });
}

export function useForgottenPassword() {
  return useMutation({
    mutationFn: (request: Sent<typeof resetRequest>) => api.post('/api/password-reset', request, nothing),
  });
}

/** What a link from an email allows. */
export function linkQuery(token: string) {
  return queryOptions({
    queryKey: ['link', token],
    queryFn: () => api.post('/api/account-link', { token }, linkAnswer),
    enabled: token !== '',
    retry: false,
  });
}

export function useChosenPassword() {
  return useMutation({
    mutationFn: (request: Sent<typeof choosePasswordRequest>) =>
      api.post('/api/account-link/password', request, emailAnswer),
  });
}

export function useSetUp() {
  const startAfresh = useFreshStart();
  return useMutation({
    mutationFn: (request: Sent<typeof setUpRequest>) => api.post('/api/set-up', request, emailAnswer),
    onSuccess: startAfresh,
  });
}
