import { infiniteQueryOptions, keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import { usersApi, type InviteUserRequest } from '../../../../src/contract/panel/operator/users.ts';
import { api } from '../client.ts';
import type { UserTurn } from '../../texts/operator/users.ts';

export function usersQuery(q: string, role: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'users', q, role],
    queryFn: ({ signal, pageParam }) => api.call(usersApi.search, { query: { q, role, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function useInviteUser() {
  const refresh = useRefreshUsers();
  return useMutation({
    mutationFn: (body: InviteUserRequest) => api.call(usersApi.invite, { body }),
    onSuccess: refresh,
  });
}

export function useInviteUserAgain() {
  return useMutation({
    mutationFn: (userId: string) => api.call(usersApi.inviteAgain, { params: { userId } }),
  });
}

export function useUserChange(to: UserTurn) {
  const refresh = useRefreshUsers();
  return useMutation({ mutationFn: (userId: string) => CHANGES[to]({ userId }), onSuccess: refresh });
}

const CHANGES: Record<UserTurn, (params: { userId: string }) => Promise<unknown>> = {
  enabled: (params) => api.call(usersApi.change, { params, body: { isDisabled: false } }),
  disabled: (params) => api.call(usersApi.change, { params, body: { isDisabled: true } }),
  secondFactorReset: (params) => api.call(usersApi.resetTwoFactor, { params }),
  signedOut: (params) => api.call(usersApi.signOut, { params }),
  removed: (params) => api.call(usersApi.remove, { params }),
};

function useRefreshUsers(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['operator', 'users'] });
}
