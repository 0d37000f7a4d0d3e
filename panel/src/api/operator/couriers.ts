import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import {
  courierDetail,
  couriersAnswer,
  type AddShiftRequest,
  type CourierProfileRequest,
} from '../../../../src/contract/panel/operator/couriers.ts';
import { api, nothing } from '../client.ts';

const BASE = '/api/operator/couriers';
const WATCH_MS = 10_000;

export function couriersQuery(q: string) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'couriers', 'list', q],
    queryFn: ({ signal, pageParam }) => api.get(BASE, couriersAnswer, { query: { q, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: WATCH_MS,
  });
}

export function courierQuery(courierId: string) {
  return queryOptions({
    queryKey: ['operator', 'couriers', 'one', courierId],
    queryFn: ({ signal }) => api.get(`${BASE}/${courierId}`, courierDetail, { signal }),
    refetchInterval: WATCH_MS,
  });
}

/** Null creates a new courier. */
export function useSaveCourier(courierId: string | null) {
  const refresh = useRefreshCouriers();
  return useMutation({
    mutationFn: (profile: CourierProfileRequest) =>
      courierId === null ? api.post(BASE, profile, nothing) : api.patch(`${BASE}/${courierId}`, profile, nothing),
    onSuccess: refresh,
  });
}

export function useCourierDuty(courierId: string) {
  const refresh = useRefreshCouriers();
  return useMutation({
    mutationFn: (onDuty: boolean) => api.post(`${BASE}/${courierId}/duty`, { onDuty }, nothing),
    onSuccess: refresh,
  });
}

export function useAddShift(courierId: string) {
  const refresh = useRefreshCouriers();
  return useMutation({
    mutationFn: (shift: AddShiftRequest) => api.post(`${BASE}/${courierId}/shifts`, shift, nothing),
    onSuccess: refresh,
  });
}

export function useRemoveShift(courierId: string) {
  const refresh = useRefreshCouriers();
  return useMutation({
    mutationFn: (shiftId: string) => api.delete(`${BASE}/${courierId}/shifts/${shiftId}`, nothing),
    onSuccess: refresh,
  });
}

function useRefreshCouriers(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['operator', 'couriers'] });
}
