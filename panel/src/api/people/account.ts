// The signed-in user's account: password, second factor, sessions.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import {
  backupCodesAnswer,
  twoFactorAnswer,
  type changePasswordRequest,
  type passwordRequest,
} from '../../../../src/contract/panel/people/account.ts';
import type { secondFactorRequest } from '../../../../src/contract/panel/people/sign-in.ts';
import { api, nothing } from '../client.ts';
import { sessionQuery, useFreshStart } from './session.ts';

export function useChangePassword() {
  return useMutation({
    mutationFn: (request: z.input<typeof changePasswordRequest>) => api.post('/api/session/password', request, nothing),
  });
}

export function useSignOutEverywhere() {
  const startAfresh = useFreshStart();
  return useMutation({ mutationFn: () => api.post('/api/session/everywhere', {}, nothing), onSuccess: startAfresh });
}

type WithPassword = z.input<typeof passwordRequest>;

export function useBeginTwoFactor() {
  return useMutation({
    mutationFn: (request: WithPassword) => api.post('/api/session/two-factor', request, twoFactorAnswer),
  });
}

export function useConfirmTwoFactor() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: z.input<typeof secondFactorRequest>) =>
      api.post('/api/session/two-factor/confirm', request, nothing),
    onSuccess: () => queryClient.invalidateQueries(sessionQuery),
  });
}

export function useEndTwoFactor() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: WithPassword) => api.post('/api/session/two-factor/disable', request, nothing),
    onSuccess: () => queryClient.invalidateQueries(sessionQuery),
  });
}

export function useNewBackupCodes() {
  return useMutation({
    mutationFn: (request: WithPassword) => api.post('/api/session/two-factor/backup-codes', request, backupCodesAnswer),
  });
}
