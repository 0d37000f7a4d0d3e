import { infiniteQueryOptions, keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  inviteUserAnswer,
  usersAnswer,
  type InviteUserRequest,
} from '../../../../src/contract/panel/operator/users.ts';
import { api, nothing } from '../client.ts';
import type { UserTurn } from '../../texts/operator/users.ts';

const BASE = '/api/operator/users';

export function usersQuery(q: string, role: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'users', q, role],
    queryFn: ({ signal, pageParam }) => api.get(BASE, usersAnswer, { query: { q, role, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function useInviteUser() {
  const refresh = useRefreshUsers();
  return useMutation({
    mutationFn: (request: InviteUserRequest) => api.post(BASE, request, inviteUserAnswer),
    onSuccess: refresh,
  });
}

export function useInviteUserAgain() {
  return useMutation({
    mutationFn: (userId: string) => api.post(`${BASE}/${userId}/invitation`, {}, inviteUserAnswer),
  });
}

export function useUserChange(to: UserTurn) {
  const refresh = useRefreshUsers();
  return useMutation({ mutationFn: (userId: string) => CHANGES[to](`${BASE}/${userId}`), onSuccess: refresh });
}

const CHANGES: Record<UserTurn, (url: string) => Promise<unknown>> = {
  enabled: (url) => api.patch(url, { isDisabled: false }, nothing),
  disabled: (url) => api.patch(url, { isDisabled: true }, nothing),
  secondFactorReset: (url) => api.post(`${url}/two-factor/reset`, {}, nothing),
  signedOut: (url) => api.post(`${url}/sign-out`, {}, nothing),
  removed: (url) => api.delete(url, nothing),
};

function useRefreshUsers(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['operator', 'users'] });
}
