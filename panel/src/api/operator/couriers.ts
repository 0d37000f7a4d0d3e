import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import {
  couriersApi,
  type AddShiftRequest,
  type CourierProfileRequest,
} from '../../../../src/contract/panel/operator/couriers.ts';
import { urlOf } from '../../../../src/contract/panel/route-url.ts';
import { api } from '../client.ts';

const WATCH_MS = 10_000;

export function couriersQuery(q: string) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'couriers', 'list', q],
    queryFn: ({ signal, pageParam }) => api.call(couriersApi.search, { query: { q, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: WATCH_MS,
  });
}

export function courierQuery(courierId: string) {
  return queryOptions({
    queryKey: ['operator', 'couriers', 'one', courierId],
    queryFn: ({ signal }) => api.call(couriersApi.read, { params: { courierId }, signal }),
    refetchInterval: WATCH_MS,
  });
}

export function courierPhotoUrl(courierId: string, at: string): string {
  return urlOf(couriersApi.readPhoto, { params: { courierId }, query: { at } });
}

/** Null creates a new courier. */
export function useSaveCourier(courierId: string | null) {
  const refresh = useRefreshCouriers();
  return useMutation({
    mutationFn: (body: CourierProfileRequest): Promise<unknown> =>
      courierId === null
        ? api.call(couriersApi.add, { body })
        : api.call(couriersApi.change, { params: { courierId }, body }),
    onSuccess: refresh,
  });
}

export function useCourierDuty(courierId: string) {
  const refresh = useRefreshCouriers();
  return useMutation({
    mutationFn: (onDuty: boolean) => api.call(couriersApi.setDuty, { params: { courierId }, body: { onDuty } }),
    onSuccess: refresh,
  });
}

export function useAddShift(courierId: string) {
  const refresh = useRefreshCouriers();
  return useMutation({
    mutationFn: (body: AddShiftRequest) => api.call(couriersApi.addShift, { params: { courierId }, body }),
    onSuccess: refresh,
  });
}

export function useRemoveShift(courierId: string) {
  const refresh = useRefreshCouriers();
  return useMutation({
    mutationFn: (shiftId: string) => api.call(couriersApi.removeShift, { params: { courierId, shiftId } }),
    onSuccess: refresh,
  });
}

function useRefreshCouriers(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['operator', 'couriers'] });
}
