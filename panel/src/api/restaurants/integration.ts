// The integration settings. Mutations that return a secret are dropped from the cache when their page unmounts.
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import {
  checkAnswer,
  createdBasicAnswer,
  createdKeyAnswer,
  createdSecretAnswer,
  integrationAnswer,
  releasedAnswer,
  type checkRequest,
  type switchRequest,
  type urlsRequest,
} from '../../../../src/contract/panel/restaurants/integration.ts';
import { api, nothing } from '../client.ts';
import { readWebhooksAgain } from '../webhooks/refetch.ts';

const AREA = '/api/integration';
/** Usage of the current minute is only useful while fresh. */
const REFRESH_MS = 5_000;

export const integrationQuery = queryOptions({
  queryKey: ['integration'],
  queryFn: ({ signal }) => api.get(AREA, integrationAnswer, { signal }),
  refetchInterval: REFRESH_MS,
});

/** Secrets, URLs and the switch affect deliveries, so webhook health and order timelines are refetched too. */
const refresh = (queryClient: QueryClient) => () => {
  void readWebhooksAgain(queryClient);
  return queryClient.invalidateQueries(integrationQuery);
};

export function useCreateKey() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: (lifetimeDays: number | null) => api.post(`${AREA}/api-keys`, { lifetimeDays }, createdKeyAnswer),
    gcTime: 0,
    onSuccess,
  });
}

export function useCreateBasic() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: () => api.post(`${AREA}/basic-credentials`, {}, createdBasicAnswer),
    gcTime: 0,
    onSuccess,
  });
}

export function useCreateSecret() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: () => api.post(`${AREA}/webhook-secrets`, {}, createdSecretAnswer),
    gcTime: 0,
    onSuccess,
  });
}

export type Credential = 'api-keys' | 'basic-credentials' | 'webhook-secrets';

export function useRevoke(what: Credential) {
  const onSuccess = refresh(useQueryClient());
  return useMutation({ mutationFn: (id: string) => api.delete(`${AREA}/${what}/${id}`, nothing), onSuccess });
}

export function useSwitchSecret() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: (secretId: string) => api.post(`${AREA}/webhook-secrets/${secretId}/switch`, {}, nothing),
    onSuccess,
  });
}

export function useSwitchIntegration() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: (request: z.input<typeof switchRequest>) => api.put(`${AREA}/enabled`, request, releasedAnswer),
    onSuccess,
  });
}

export function useSwitchMetadata() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: (isOn: boolean) => api.put(`${AREA}/delivery-metadata`, { isOn }, nothing),
    onSuccess,
  });
}

export function useSetUrls() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: (request: z.input<typeof urlsRequest>) => api.put(`${AREA}/webhook-urls`, request, releasedAnswer),
    onSuccess,
  });
}

export function checkUrl(request: z.input<typeof checkRequest>) {
  return api.post(`${AREA}/webhook-check`, request, checkAnswer);
}

export function useCheckUrl() {
  return useMutation({ mutationFn: checkUrl });
}
