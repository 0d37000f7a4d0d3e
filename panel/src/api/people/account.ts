// The signed-in user's account: password, second factor, sessions.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { accountApi } from '../../../../src/contract/panel/people/account.ts';
import type { SentBody } from '../../../../src/contract/panel/routes.ts';
import { api } from '../client.ts';
import { sessionQuery, useFreshStart } from './session.ts';

export function useChangePassword() {
  return useMutation({
    mutationFn: (body: SentBody<typeof accountApi.changePassword>) => api.call(accountApi.changePassword, { body }),
  });
}

export function useSignOutEverywhere() {
  const resetSession = useFreshStart();
  return useMutation({ mutationFn: () => api.call(accountApi.signOutEverywhere), onSuccess: resetSession });
}

type WithPassword = SentBody<typeof accountApi.beginTwoFactor>;

export function useBeginTwoFactor() {
  return useMutation({
    mutationFn: (body: WithPassword) => api.call(accountApi.beginTwoFactor, { body }),
  });
}

export function useConfirmTwoFactor() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: SentBody<typeof accountApi.confirmTwoFactor>) => api.call(accountApi.confirmTwoFactor, { body }),
    onSuccess: () => queryClient.invalidateQueries(sessionQuery),
  });
}

export function useEndTwoFactor() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: WithPassword) => api.call(accountApi.endTwoFactor, { body }),
    onSuccess: () => queryClient.invalidateQueries(sessionQuery),
  });
}

export function useNewBackupCodes() {
  return useMutation({
    mutationFn: (body: WithPassword) => api.call(accountApi.renewBackupCodes, { body }),
  });
}
