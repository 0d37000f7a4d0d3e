import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { restaurantAnswer, type RestaurantRequest } from '../../../src/contract/panel/restaurant.ts';
import { api } from './client.ts';
import { sessionQuery } from './session.ts';

export const restaurantQuery = queryOptions({
  queryKey: ['restaurant'],
  queryFn: ({ signal }) => api.get('/api/restaurant', restaurantAnswer, { signal }),
});

export function useChangeRestaurant() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: RestaurantRequest) => api.patch('/api/restaurant', request, restaurantAnswer),
    onSuccess: async (restaurant) => {
      queryClient.setQueryData(restaurantQuery.queryKey, restaurant);
      // The frame shows the restaurant's name, and every time is told in its zone.
      await queryClient.invalidateQueries(sessionQuery);
    },
  });
}
