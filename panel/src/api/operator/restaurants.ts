import { infiniteQueryOptions, keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  addedRestaurantAnswer,
  restaurantsAnswer,
  type AddRestaurantRequest,
  type ChangeRestaurantRequest,
} from '../../../../src/contract/panel/operator/restaurants.ts';
import { api, nothing } from '../client.ts';

export function restaurantsQuery(q: string) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'restaurants', q],
    queryFn: ({ signal, pageParam }) =>
      api.get('/api/operator/restaurants', restaurantsAnswer, { query: { q, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function useAddRestaurant() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: AddRestaurantRequest) =>
      api.post('/api/operator/restaurants', request, addedRestaurantAnswer),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operator', 'restaurants'] }),
  });
}

export function useChangeRestaurantOf(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: ChangeRestaurantRequest) => api.patch(`/api/operator/restaurants/${id}`, request, nothing),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['operator', 'restaurants'] }),
  });
}
