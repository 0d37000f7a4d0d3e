// The courier's work, actions and positions.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import {
  courierApi,
  courierWork,
  type CourierWork,
  type OrderEnding,
} from '../../../../src/contract/panel/couriers/courier-page.ts';
import type { BodyOf, ReceivedFrom } from '../../../../src/contract/panel/routes.ts';
import type { Place } from '../../../../src/domain/geo.ts';
import { formatUtc } from '../../../../src/domain/time.ts';
import type { ActAnswer, QueuedAct } from './action-list.ts';
import { urlOf } from '../../../../src/contract/panel/route-url.ts';
import { ApiError } from '../api-error.ts';
import { api } from '../client.ts';

/** The longest time before an offer is shown; it expires after a minute. */
const ON_DUTY_POLL_MS = 3_000;
const OFF_DUTY_POLL_MS = 30_000;
const RETRIES = 2;

export interface KnownWork extends CourierWork {
  /** Cached: the service worker answered with its last response, because there is no connection. */
  isKept: boolean;
  /** Add to this device's clock to get the service's time. */
  clockOffsetMs: number;
}

/** The service worker adds `isKept`. */
const readWork = { ...courierApi.readWork, answer: courierWork.extend({ isKept: z.boolean().default(false) }) };

export const workQuery = queryOptions({
  queryKey: ['courier', 'work'],
  queryFn: async ({ signal, client }): Promise<KnownWork> => {
    const work = await api.call(readWork, { signal });
    return keepNewest(work, client.getQueryData<KnownWork>(['courier', 'work']));
  },
  // navigator.onLine is unreliable: it can be true in a tunnel, and false on an unknown network.
  networkMode: 'always',
  staleTime: 0,
  retry: false,
  refetchInterval: ({ state }) => (state.data?.courier.onDuty === false ? OFF_DUTY_POLL_MS : ON_DUTY_POLL_MS),
  // The phone must ring in a pocket, with the page in the background.
  refetchIntervalInBackground: true,
});

/** A response cached by the service worker never replaces newer data, and its time cannot set the clock offset. */
export function keepNewest(work: ReceivedFrom<typeof readWork>, known: KnownWork | undefined): KnownWork {
  if (!work.isKept) return { ...work, clockOffsetMs: Date.parse(work.now) - Date.now() };
  return known === undefined ? { ...work, clockOffsetMs: 0 } : { ...known, isKept: true };
}

function useWorkMutation<T>(run: (argument: T) => Promise<unknown>, onError: (error: Error) => void = () => undefined) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: run,
    networkMode: 'always',
    // Safe to retry: all of these are idempotent.
    retry: (count, error) =>
      count < RETRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    onError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: workQuery.queryKey }),
  });
}

export function useSetDuty() {
  return useWorkMutation((onDuty: boolean) => api.call(courierApi.setDuty, { body: { onDuty } }));
}

export function useAcceptOffer(onError: (error: Error) => void) {
  return useWorkMutation((orderId: string) => api.call(courierApi.accept, { params: { orderId } }), onError);
}

export function useDeclineOffer(onError: (error: Error) => void) {
  const decline = ({ orderId, reason }: { orderId: string; reason: string }): Promise<unknown> =>
    api.call(courierApi.decline, { params: { orderId }, body: { reason } });
  return useWorkMutation(decline, onError);
}

type Cancellation = { orderId: string } & BodyOf<typeof courierApi.cancel>;

export function useCancelOrder() {
  return useWorkMutation(({ orderId, ...body }: Cancellation) =>
    api.call(courierApi.cancel, { params: { orderId }, body }),
  );
}

export function ownPhotoUrl(at: string): string {
  return urlOf(courierApi.readPhoto, { query: { at } });
}

/** Null removes the photo. */
export function useSetPhoto() {
  return useWorkMutation((content: string | null) => api.call(courierApi.setPhoto, { body: { content } }));
}

export function getEnding(orderId: string): Promise<OrderEnding> {
  return api.call(courierApi.readEnding, { params: { orderId } });
}

/** Null: a heartbeat without a known position. */
export function postPosition(place: Place | null): Promise<unknown> {
  return api.call(courierApi.reportPosition, { body: place ?? {} });
}

/** Throws when the service did not decide about the action, so that it is retried. */
export async function postAct(act: QueuedAct): Promise<ActAnswer> {
  const { id, orderId, kind, at, detail } = act;
  const body = { id, orderId, kind, at: formatUtc(at), ...(detail !== null && { detail }) };
  try {
    const { results } = await api.call(courierApi.reportActs, { body: { acts: [body] } });
    const result = results.find((one) => one.id === id);
    if (result === undefined) throw new Error('the service did not answer for this act');
    if (result.outcome === 'applied') return { outcome: 'applied' };
    return { outcome: 'refused', explanation: result.explanation ?? '' };
  } catch (error) {
    if (!(error instanceof ApiError) || isUnanswered(error)) throw error;
    return { outcome: 'refused', explanation: error.message };
  }
}

/** An expired or foreign session decides nothing either: the action waits until its courier signs in again. */
const LATER = new Set([0, 401, 403, 408, 429]);

function isUnanswered(error: ApiError): boolean {
  return LATER.has(error.status) || error.status >= 500 || error.code === 'PANEL';
}
