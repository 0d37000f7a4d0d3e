import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { supportApi, type CaseState } from '../../../../src/contract/panel/operator/support.ts';
import { api } from '../client.ts';

const WATCH_MS = 15_000;

export function supportCasesQuery(state: CaseState) {
  return queryOptions({
    queryKey: ['operator', 'support', 'list', state],
    queryFn: ({ signal }) => api.call(supportApi.list, { query: { state }, signal }),
    refetchInterval: WATCH_MS,
  });
}

export function supportCaseQuery(caseId: string) {
  return queryOptions({
    queryKey: ['operator', 'support', 'case', caseId],
    queryFn: ({ signal }) => api.call(supportApi.read, { params: { caseId }, signal }),
    refetchInterval: WATCH_MS,
  });
}

export function useCaseAct(caseId: string, act: 'markContacted' | 'resolve') {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.call(supportApi[act], { params: { caseId } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operator', 'support'] }),
  });
}

export function useCaseNote(caseId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (note: string) => api.call(supportApi.addNote, { params: { caseId }, body: { note } }),
    onSuccess: () => queryClient.invalidateQueries(supportCaseQuery(caseId)),
  });
}

export function useProbe(caseId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.call(supportApi.probe, { params: { caseId } }),
    // The action may have changed any part of the case.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operator', 'support'] }),
  });
}
