import { infiniteQueryOptions, keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  restaurantsApi,
  type AddRestaurantRequest,
  type ChangeRestaurantRequest,
} from '../../../../src/contract/panel/operator/restaurants.ts';
import { api } from '../client.ts';

export function restaurantsQuery(q: string) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'restaurants', q],
    queryFn: ({ signal, pageParam }) => api.call(restaurantsApi.search, { query: { q, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function useAddRestaurant() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: AddRestaurantRequest) => api.call(restaurantsApi.add, { body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operator', 'restaurants'] }),
  });
}

export function useChangeRestaurantOf(restaurantId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: ChangeRestaurantRequest) => api.call(restaurantsApi.change, { params: { restaurantId }, body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operator', 'restaurants'] }),
  });
}
