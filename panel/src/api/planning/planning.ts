// The plan: explanations, candidate couriers and the operator's actions.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { candidatesAnswer } from '../../../../src/contract/panel/planning/candidates.ts';
import {
  alarmsAnswer,
  areasAnswer,
  operatorOrderAnswer,
  orderPlanAnswer,
  plannedOrdersAnswer,
  type OperatorCancelRequest,
} from '../../../../src/contract/panel/planning/planning.ts';
import { api, nothing } from '../client.ts';

/** The stream covers orders, not plans, so plans are polled while the page is open. */
const WATCH_MS = 5_000;
const OPERATOR = '/api/operator/planning';

export const alarmsQuery = queryOptions({
  queryKey: ['planning', 'alarms'],
  queryFn: ({ signal }) => api.get('/api/planning/alarms', alarmsAnswer, { signal }),
  refetchInterval: WATCH_MS,
});

export function orderPlanQuery(orderId: string) {
  return queryOptions({
    queryKey: ['planning', 'order', orderId],
    queryFn: ({ signal }) => api.get(`/api/planning/orders/${orderId}`, orderPlanAnswer, { signal }),
    refetchInterval: WATCH_MS,
  });
}

/** Both see the couriers of the order's restaurant and of the pool. */
export type Chooser = 'restaurant' | 'operator';

export function candidatesQuery(orderId: string, chooser: Chooser, q: string) {
  const base = chooser === 'operator' ? `${OPERATOR}/orders` : '/api/orders';
  return queryOptions({
    queryKey: ['planning', 'candidates', chooser, orderId, q],
    queryFn: ({ signal }) => api.get(`${base}/${orderId}/couriers`, candidatesAnswer, { query: { q }, signal }),
    placeholderData: keepPreviousData,
    // Couriers move, and the first response may come before the figures are ready.
    refetchInterval: ({ state }) => (state.data?.gap === 'NO_ANSWER' ? WATCH_MS / 5 : WATCH_MS),
  });
}

export function operatorOrderQuery(orderId: string) {
  return queryOptions({
    queryKey: ['planning', 'operator', orderId],
    queryFn: ({ signal }) => api.get(`${OPERATOR}/orders/${orderId}`, operatorOrderAnswer, { signal }),
    refetchInterval: WATCH_MS,
  });
}

export const areasQuery = queryOptions({
  queryKey: ['planning', 'areas'],
  queryFn: ({ signal }) => api.get(`${OPERATOR}/areas`, areasAnswer, { signal }),
  refetchInterval: WATCH_MS,
});

export const plannedOrdersQuery = queryOptions({
  queryKey: ['planning', 'orders'],
  queryFn: ({ signal }) => api.get(`${OPERATOR}/orders`, plannedOrdersAnswer, { signal }),
  refetchInterval: WATCH_MS,
});

/** Null removes the lock. */
export function useLock(orderId: string) {
  return usePlanAct((courierId: string | null) =>
    api.post(`${OPERATOR}/orders/${orderId}/lock`, { courierId }, nothing),
  );
}

export function useMove(orderId: string) {
  return usePlanAct((courierId: string) => api.post(`${OPERATOR}/orders/${orderId}/move`, { courierId }, nothing));
}

export function useCancelFor(orderId: string) {
  return usePlanAct((request: OperatorCancelRequest) =>
    api.post(`${OPERATOR}/orders/${orderId}/cancel`, request, nothing),
  );
}

export function useReplanNow() {
  return usePlanAct(() => api.post(`${OPERATOR}/replan`, {}, nothing));
}

export function useDismissProblem(orderId: string) {
  return usePlanAct(() => api.post(`/api/planning/orders/${orderId}/problem/dismiss`, {}, nothing));
}

function usePlanAct<Variables = void>(mutationFn: (variables: Variables) => Promise<unknown>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    // Also on failure: another user may have acted first. Not awaited, so that the result shows without delay.
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['planning'] });
      void queryClient.invalidateQueries({ queryKey: ['map'] });
    },
  });
}
