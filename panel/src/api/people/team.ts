import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { teamApi } from '../../../../src/contract/panel/people/team.ts';
import type { SentBody } from '../../../../src/contract/panel/routes.ts';
import { api } from '../client.ts';

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => api.call(teamApi.list, { signal }),
});

export function useInvite() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: SentBody<typeof teamApi.invite>) => api.call(teamApi.invite, { body }),
    onSuccess: () => queryClient.invalidateQueries(teamQuery),
  });
}

export function useInviteAgain() {
  return useMutation({
    mutationFn: (userId: string) => api.call(teamApi.inviteAgain, { params: { userId } }),
  });
}

export type MemberTurn = 'owner' | 'staff' | 'enabled' | 'disabled' | 'removed';

export function useMemberChange(to: MemberTurn) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (userId: string): Promise<unknown> =>
      to === 'removed'
        ? api.call(teamApi.remove, { params: { userId } })
        : api.call(teamApi.change, { params: { userId }, body: CHANGES[to] }),
    onSuccess: () => queryClient.invalidateQueries(teamQuery),
  });
}

const CHANGES = {
  owner: { role: 'owner' },
  staff: { role: 'staff' },
  enabled: { isDisabled: false },
  disabled: { isDisabled: true },
} as const satisfies Record<Exclude<MemberTurn, 'removed'>, SentBody<typeof teamApi.change>>;
