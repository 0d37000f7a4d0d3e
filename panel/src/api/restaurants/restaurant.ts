import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import {
  restaurantApi,
  type RestaurantAnswer,
  type RestaurantRequest,
} from '../../../../src/contract/panel/restaurants/restaurant.ts';
import { api } from '../client.ts';
import { sessionQuery } from '../people/session.ts';

export const restaurantQuery = queryOptions({
  queryKey: ['restaurant'],
  queryFn: ({ signal }) => api.call(restaurantApi.read, { signal }),
});

export function useChangeRestaurant() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RestaurantRequest) => api.call(restaurantApi.change, { body }),
    onSuccess: async (restaurant) => {
      await keepSaved(queryClient, restaurant);
      // The shell shows the restaurant's name, and all times use its zone.
      await queryClient.invalidateQueries(sessionQuery);
    },
  });
}

/** A running read may predate the save. */
export async function keepSaved(queryClient: QueryClient, restaurant: RestaurantAnswer): Promise<void> {
  await queryClient.cancelQueries(restaurantQuery);
  queryClient.setQueryData(restaurantQuery.queryKey, restaurant);
}
