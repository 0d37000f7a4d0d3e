// The plan: explanations, candidate couriers and the operator's actions.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { candidatesApi } from '../../../../src/contract/panel/planning/candidates.ts';
import {
  operatorPlanningApi,
  planningApi,
  type OperatorCancelRequest,
} from '../../../../src/contract/panel/planning/planning.ts';
import { api } from '../client.ts';

/** The stream covers orders, not plans, so plans are polled while the page is open. */
const WATCH_MS = 5_000;

export const alarmsQuery = queryOptions({
  queryKey: ['planning', 'alarms'],
  queryFn: ({ signal }) => api.call(planningApi.listAlarms, { signal }),
  refetchInterval: WATCH_MS,
});

export function orderPlanQuery(orderId: string) {
  return queryOptions({
    queryKey: ['planning', 'order', orderId],
    queryFn: ({ signal }) => api.call(planningApi.readOrder, { params: { orderId }, signal }),
    refetchInterval: WATCH_MS,
  });
}

/** Both see the couriers of the order's restaurant and of the pool. */
export type Chooser = 'restaurant' | 'operator';

export function candidatesQuery(orderId: string, chooser: Chooser, q: string) {
  const route = chooser === 'operator' ? candidatesApi.listForOperator : candidatesApi.listForRestaurant;
  return queryOptions({
    queryKey: ['planning', 'candidates', chooser, orderId, q],
    queryFn: ({ signal }) => api.call(route, { params: { orderId }, query: { q }, signal }),
    placeholderData: keepPreviousData,
    // Couriers move, and the first response may come before the figures are ready.
    refetchInterval: ({ state }) => (state.data?.gap === 'NO_ANSWER' ? WATCH_MS / 5 : WATCH_MS),
  });
}

export function operatorOrderQuery(orderId: string) {
  return queryOptions({
    queryKey: ['planning', 'operator', orderId],
    queryFn: ({ signal }) => api.call(operatorPlanningApi.readOrder, { params: { orderId }, signal }),
    refetchInterval: WATCH_MS,
  });
}

export const areasQuery = queryOptions({
  queryKey: ['planning', 'areas'],
  queryFn: ({ signal }) => api.call(operatorPlanningApi.listAreas, { signal }),
  refetchInterval: WATCH_MS,
});

export const plannedOrdersQuery = queryOptions({
  queryKey: ['planning', 'orders'],
  queryFn: ({ signal }) => api.call(operatorPlanningApi.listOrders, { signal }),
  refetchInterval: WATCH_MS,
});

/** Null removes the lock. */
export function useLock(orderId: string) {
  return usePlanAct((courierId: string | null) =>
    api.call(operatorPlanningApi.lock, { params: { orderId }, body: { courierId } }),
  );
}

export function useMove(orderId: string) {
  return usePlanAct((courierId: string) =>
    api.call(operatorPlanningApi.move, { params: { orderId }, body: { courierId } }),
  );
}

export function useCancelFor(orderId: string) {
  return usePlanAct((body: OperatorCancelRequest) =>
    api.call(operatorPlanningApi.cancel, { params: { orderId }, body }),
  );
}

export function useReplanNow() {
  return usePlanAct(() => api.call(operatorPlanningApi.replan));
}

export function useDismissProblem(orderId: string) {
  return usePlanAct(() => api.call(planningApi.dismissProblem, { params: { orderId } }));
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
