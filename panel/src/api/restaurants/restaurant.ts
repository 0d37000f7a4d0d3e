import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import {
  restaurantAnswer,
  type RestaurantAnswer,
  type RestaurantRequest,
} from '../../../../src/contract/panel/restaurants/restaurant.ts';
import { api } from '../client.ts';
import { sessionQuery } from '../people/session.ts';

export const restaurantQuery = queryOptions({
  queryKey: ['restaurant'],
  queryFn: ({ signal }) => api.get('/api/restaurant', restaurantAnswer, { signal }),
});

export function useChangeRestaurant() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: RestaurantRequest) => api.patch('/api/restaurant', request, restaurantAnswer),
    onSuccess: async (restaurant) => {
      await keepSaved(queryClient, restaurant);
      // The frame shows the restaurant's name, and every time is told in its zone.
      await queryClient.invalidateQueries(sessionQuery);
    },
  });
}

/** What is still on its way may be from before it was saved. */
export async function keepSaved(queryClient: QueryClient, restaurant: RestaurantAnswer): Promise<void> {
  await queryClient.cancelQueries(restaurantQuery);
  queryClient.setQueryData(restaurantQuery.queryKey, restaurant);
}
