import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { restoreNoticeAnswer } from '../../../../src/contract/panel/operator/restore-notice.ts';
import { api, nothing } from '../client.ts';

const WATCH_MS = 60_000;

export const restoreNoticeQuery = queryOptions({
  queryKey: ['operator', 'restore-notice'],
  queryFn: ({ signal }) => api.get('/api/operator/restore-notice', restoreNoticeAnswer, { signal }),
  refetchInterval: WATCH_MS,
});

export function useDismissRestoreNotice() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (epochId: string) => api.post(`/api/operator/restore-notice/${epochId}/dismiss`, {}, nothing),
    // Also on failure: another operator may have dismissed it.
    onSettled: () => queryClient.invalidateQueries(restoreNoticeQuery),
  });
}
