import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  probeAnswer,
  supportCaseDetail,
  supportCasesAnswer,
  type CaseState,
} from '../../../../src/contract/panel/operator/support.ts';
import { api, nothing } from '../client.ts';

const WATCH_MS = 15_000;

export function supportCasesQuery(state: CaseState) {
  return queryOptions({
    queryKey: ['operator', 'support', 'list', state],
    queryFn: ({ signal }) => api.get('/api/operator/support-cases', supportCasesAnswer, { query: { state }, signal }),
    refetchInterval: WATCH_MS,
  });
}

export function supportCaseQuery(caseId: string) {
  return queryOptions({
    queryKey: ['operator', 'support', 'case', caseId],
    queryFn: ({ signal }) => api.get(`/api/operator/support-cases/${caseId}`, supportCaseDetail, { signal }),
    refetchInterval: WATCH_MS,
  });
}

export function useCaseAct(caseId: string, act: 'contacted' | 'resolve') {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.post(`/api/operator/support-cases/${caseId}/${act}`, {}, nothing),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operator', 'support'] }),
  });
}

export function useCaseNote(caseId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (note: string) => api.post(`/api/operator/support-cases/${caseId}/notes`, { note }, nothing),
    onSuccess: () => queryClient.invalidateQueries(supportCaseQuery(caseId)),
  });
}

export function useProbe(caseId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.post(`/api/operator/support-cases/${caseId}/probe`, {}, probeAnswer),
    // The action may have changed any part of the case.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operator', 'support'] }),
  });
}
