import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import {
  inviteAnswer,
  teamAnswer,
  type changeMemberRequest,
  type inviteRequest,
} from '../../../../src/contract/panel/people/team.ts';
import { api, nothing } from '../client.ts';

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: ({ signal }) => api.get('/api/team', teamAnswer, { signal }),
});

export function useInvite() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: z.input<typeof inviteRequest>) => api.post('/api/team', request, inviteAnswer),
    onSuccess: () => queryClient.invalidateQueries(teamQuery),
  });
}

export function useInviteAgain() {
  return useMutation({
    mutationFn: (userId: string) => api.post(`/api/team/${userId}/invitation`, {}, inviteAnswer),
  });
}

export type MemberTurn = 'owner' | 'staff' | 'enabled' | 'disabled' | 'removed';

export function useMemberChange(to: MemberTurn) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (userId: string) =>
      to === 'removed'
        ? api.delete(`/api/team/${userId}`, nothing)
        : api.patch(`/api/team/${userId}`, CHANGES[to], nothing),
    onSuccess: () => queryClient.invalidateQueries(teamQuery),
  });
}

const CHANGES = {
  owner: { role: 'owner' },
  staff: { role: 'staff' },
  enabled: { isDisabled: false },
  disabled: { isDisabled: true },
} as const satisfies Record<Exclude<MemberTurn, 'removed'>, z.input<typeof changeMemberRequest>>;
