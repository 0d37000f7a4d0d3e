import { QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test } from 'vitest';
import type { MapAnswer } from '../../../../src/contract/panel/planning/map.ts';
import { liveMapQuery, readMapAgain } from './map.ts';
import { createQueryClient } from '../query-client.ts';

test('events arriving faster than the map can be read do not prevent it from being read', async () => {
  const queryClient = createQueryClient(() => undefined);
  onTestFinished(() => queryClient.clear());
  const query = liveMapQuery(false);
  const before: MapAnswer = { restaurants: [], orders: [], total: 0, couriers: [] };
  const after = { ...before, total: 1 };
  queryClient.setQueryData(query.queryKey, before);
  const answer = Promise.withResolvers<MapAnswer>();
  const queryFn = ({ signal }: { signal: AbortSignal }): Promise<MapAnswer> => {
    signal.addEventListener('abort', () => answer.reject(new Error('thrown away')));
    return answer.promise;
  };
  onTestFinished(new QueryObserver(queryClient, { ...query, queryFn }).subscribe(() => undefined));
  void readMapAgain(queryClient, false);
  void readMapAgain(queryClient, false);
  answer.resolve(after);
  await expect.poll(() => queryClient.getQueryData(query.queryKey)).toEqual(after);
});
