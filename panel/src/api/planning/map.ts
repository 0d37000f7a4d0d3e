// The live map: orders, couriers and routes in one response, with positions polled in between.
import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { mapApi, type MapAnswer } from '../../../../src/contract/panel/planning/map.ts';
import { positionsApi, type PositionsAnswer } from '../../../../src/contract/panel/planning/planning.ts';
import { useLiveEvent } from '../live/live.ts';
import { api } from '../client.ts';

/** For plan changes, which the live stream does not cover. */
const WATCH_MS = 8_000;
const POSITIONS_MS = 4_000;
/** Events within this time share one refetch. */
const GATHER_MS = 700;

export const mapStyleQuery = queryOptions({
  queryKey: ['map', 'style'],
  queryFn: ({ signal }) => api.call(mapApi.readStyle, { signal }),
  staleTime: Infinity,
});

export function liveMapQuery(isOperator: boolean) {
  return queryOptions({
    queryKey: ['map', 'live', isOperator],
    queryFn: ({ signal }) => api.call(isOperator ? mapApi.readAll : mapApi.read, { signal }),
    refetchInterval: WATCH_MS,
  });
}

function positionsQuery(isOperator: boolean) {
  return queryOptions({
    queryKey: ['map', 'positions', isOperator],
    queryFn: ({ signal }) => api.call(isOperator ? positionsApi.listAll : positionsApi.list, { signal }),
    refetchInterval: POSITIONS_MS,
  });
}

export interface LiveMapReading {
  data: MapAnswer | undefined;
  error: Error | null;
  refetch: () => Promise<unknown>;
}

export function useLiveMap(isOperator: boolean): LiveMapReading {
  const { data, error, refetch } = useQuery(liveMapQuery(isOperator));
  const { data: heard } = useQuery(positionsQuery(isOperator));
  useReadAgainOnNews(isOperator);
  const moved = useMemo(() => data && moveCouriers(data, heard?.positions ?? []), [data, heard]);
  return { data: moved, error, refetch };
}

function useReadAgainOnNews(isOperator: boolean): void {
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hear = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void readMapAgain(queryClient, isOperator);
    }, GATHER_MS);
  }, [queryClient, isOperator]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveEvent(isOperator ? 'changed' : 'orders', hear);
}

/** Does not cancel a running read: under frequent events, no read would ever finish. */
export function readMapAgain(queryClient: QueryClient, isOperator: boolean): Promise<void> {
  return queryClient.invalidateQueries(liveMapQuery(isOperator), { cancelRefetch: false });
}

/** Updates the map with newer courier positions. */
function moveCouriers(map: MapAnswer, positions: PositionsAnswer['positions']): MapAnswer {
  const newest = new Map(positions.map(({ courierId, ...position }) => [courierId, position]));
  return {
    ...map,
    couriers: map.couriers.map((courier) => {
      const position = newest.get(courier.id);
      if (position === undefined || position.reportedAt <= (courier.position?.reportedAt ?? '')) return courier;
      return { ...courier, position, isDark: false };
    }),
  };
}
