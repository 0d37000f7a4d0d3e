import { QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test } from 'vitest';
import type { RestaurantAnswer } from '../../../../src/contract/panel/restaurants/restaurant.ts';
import { createQueryClient } from '../query-client.ts';
import { keepSaved, restaurantQuery } from './restaurant.ts';

test('saved settings are not overwritten by an answer to an earlier request', async () => {
  const queryClient = createQueryClient(() => undefined);
  onTestFinished(() => queryClient.clear());
  const before = { name: 'Before' } as RestaurantAnswer;
  const saved = { ...before, name: 'Saved' };
  const late = Promise.withResolvers<RestaurantAnswer>();
  const observer = new QueryObserver(queryClient, { ...restaurantQuery, queryFn: () => late.promise });
  onTestFinished(observer.subscribe(() => undefined));
  await keepSaved(queryClient, saved);
  late.resolve(before);
  await late.promise;
  await expect.poll(() => queryClient.isFetching()).toBe(0);
  expect(queryClient.getQueryData(restaurantQuery.queryKey)).toEqual(saved);
});
