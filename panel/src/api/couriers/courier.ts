// The courier's work, and what a courier tells the service.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import {
  actsAnswer,
  courierWork,
  orderEnding,
  type courierCancelRequest,
  type CourierWork,
  type OrderEnding,
} from '../../../../src/contract/panel/couriers/courier-page.ts';
import type { Place } from '../../../../src/domain/geo.ts';
import type { ActAnswer, KeptAct } from './action-list.ts';
import { ApiError } from '../api-error.ts';
import { api, nothing } from '../client.ts';

/** How long an offer may stay unseen; it stands for a minute. */
const ON_DUTY_POLL_MS = 3_000;
const OFF_DUTY_POLL_MS = 30_000;
const RETRIES = 2;

export interface KnownWork extends CourierWork {
  /** The service worker answered with the last work it saw, because there is no connection. */
  isKept: boolean;
  /** To be added to this device's clock to get the service's. */
  clockOffsetMs: number;
}

const workAnswer = courierWork.extend({ isKept: z.boolean().default(false) });

export const workQuery = queryOptions({
  queryKey: ['courier', 'work'],
  queryFn: async ({ signal, client }): Promise<KnownWork> => {
    const work = await api.get('/api/courier/work', workAnswer, { signal });
    return keepNewest(work, client.getQueryData<KnownWork>(['courier', 'work']));
  },
  // The browser may believe that it is online in a tunnel, and offline on a network that it does not know.
  networkMode: 'always',
  staleTime: 0,
  retry: false,
  refetchInterval: ({ state }) => (state.data?.courier.onDuty === false ? OFF_DUTY_POLL_MS : ON_DUTY_POLL_MS),
  // A phone in a pocket must ring.
  refetchIntervalInBackground: true,
});

/** What the service worker kept is older than whatever this page has seen, and says nothing about the time now. */
export function keepNewest(work: z.output<typeof workAnswer>, known: KnownWork | undefined): KnownWork {
  if (!work.isKept) return { ...work, clockOffsetMs: Date.parse(work.now) - Date.now() };
  return known === undefined ? { ...work, clockOffsetMs: 0 } : { ...known, isKept: true };
}

function useWorkMutation<T>(run: (argument: T) => Promise<unknown>, onError: (error: Error) => void = () => undefined) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: run,
    networkMode: 'always',
    // Each of these may be repeated: one that happened already changes nothing.
    retry: (count, error) =>
      count < RETRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    onError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: workQuery.queryKey }),
  });
}

export function useSetDuty() {
  return useWorkMutation((onDuty: boolean) => api.post('/api/courier/duty', { onDuty }, nothing));
}

export function useAcceptOffer(onError: (error: Error) => void) {
  return useWorkMutation((orderId: string) => api.post(`/api/courier/offers/${orderId}/accept`, {}, nothing), onError);
}

export function useDeclineOffer(onError: (error: Error) => void) {
  const decline = ({ orderId, reason }: { orderId: string; reason: string }): Promise<unknown> =>
    api.post(`/api/courier/offers/${orderId}/decline`, { reason }, nothing);
  return useWorkMutation(decline, onError);
}

type Cancellation = { orderId: string } & z.infer<typeof courierCancelRequest>;

export function useCancelOrder() {
  return useWorkMutation(({ orderId, ...body }: Cancellation) =>
    api.post(`/api/courier/orders/${orderId}/cancel`, body, nothing),
  );
}

/** Null takes it away. */
export function useSetPhoto() {
  return useWorkMutation((content: string | null) => api.put('/api/courier/photo', { content }, nothing));
}

export function getEnding(orderId: string): Promise<OrderEnding> {
  return api.get(`/api/courier/orders/${orderId}`, orderEnding);
}

/** Null: the phone does not know where it is, but it is there. */
export function postPosition(place: Place | null): Promise<unknown> {
  return api.post('/api/courier/position', place ?? {}, nothing);
}

/** Throws when the service gave no answer about the act, so that it is sent again. */
export async function postAct(act: KeptAct): Promise<ActAnswer> {
  const { id, orderId, kind, at, detail } = act;
  const body = { id, orderId, kind, at: new Date(at).toISOString(), ...(detail !== null && { detail }) };
  try {
    const { results } = await api.post('/api/courier/acts', { acts: [body] }, actsAnswer);
    const result = results.find((one) => one.id === id);
    if (result === undefined) throw new Error('the service did not answer for this act');
    if (result.outcome === 'applied') return { outcome: 'applied' };
    return { outcome: 'refused', explanation: result.explanation ?? '' };
  } catch (error) {
    if (!(error instanceof ApiError) || isUnanswered(error)) throw error;
    return { outcome: 'refused', explanation: error.message };
  }
}

/** A session that is over or belongs to somebody else is no answer either: the act waits until its courier is back. */
const LATER = new Set([0, 401, 403, 408, 429]);

function isUnanswered(error: ApiError): boolean {
  return LATER.has(error.status) || error.status >= 500 || error.code === 'PANEL';
}
