// The integration settings. Mutations that return a secret are dropped from the cache when their page unmounts.
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { credentialsApi, integrationApi } from '../../../../src/contract/panel/restaurants/integration.ts';
import type { SentBody } from '../../../../src/contract/panel/routes.ts';
import { api } from '../client.ts';
import { readWebhooksAgain } from '../webhooks/refetch.ts';

/** Usage of the current minute is only useful while fresh. */
const REFRESH_MS = 5_000;

export const integrationQuery = queryOptions({
  queryKey: ['integration'],
  queryFn: ({ signal }) => api.call(integrationApi.read, { signal }),
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
    mutationFn: (lifetimeDays: number | null) => api.call(credentialsApi.createKey, { body: { lifetimeDays } }),
    gcTime: 0,
    onSuccess,
  });
}

export function useCreateBasic() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: () => api.call(credentialsApi.createBasic),
    gcTime: 0,
    onSuccess,
  });
}

export function useCreateSecret() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: () => api.call(credentialsApi.createSecret),
    gcTime: 0,
    onSuccess,
  });
}

const REVOKE = {
  key: (keyId: string) => api.call(credentialsApi.revokeKey, { params: { keyId } }),
  basic: (credentialId: string) => api.call(credentialsApi.revokeBasic, { params: { credentialId } }),
  secret: (secretId: string) => api.call(credentialsApi.removeSecret, { params: { secretId } }),
};
export type Credential = keyof typeof REVOKE;

export function useRevoke(what: Credential) {
  const onSuccess = refresh(useQueryClient());
  return useMutation({ mutationFn: REVOKE[what], onSuccess });
}

export function useSwitchSecret() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: (secretId: string) => api.call(credentialsApi.switchSecret, { params: { secretId } }),
    onSuccess,
  });
}

export function useSwitchIntegration() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: (body: SentBody<typeof integrationApi.switch>) => api.call(integrationApi.switch, { body }),
    onSuccess,
  });
}

export function useSwitchMetadata() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: (isOn: boolean) => api.call(integrationApi.switchMetadata, { body: { isOn } }),
    onSuccess,
  });
}

export function useSetUrls() {
  const onSuccess = refresh(useQueryClient());
  return useMutation({
    mutationFn: (body: SentBody<typeof integrationApi.setUrls>) => api.call(integrationApi.setUrls, { body }),
    onSuccess,
  });
}

export function checkUrl(body: SentBody<typeof integrationApi.checkUrl>) {
  return api.call(integrationApi.checkUrl, { body });
}

export function useCheckUrl() {
  return useMutation({ mutationFn: checkUrl });
}
