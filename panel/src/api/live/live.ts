// Live updates as server-sent events. After a lost connection, the browser resumes from the last event it saw; when it
// cannot, all data on the page is refetched.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { liveApi, type LiveEvent } from '../../../../src/contract/panel/live.ts';
import { urlOf } from '../../../../src/contract/panel/route-url.ts';
import type { Session } from '../people/session.ts';
import { createLiveChannel, type LiveHandler } from './channel.ts';

const channel = createLiveChannel({
  open: () => new EventSource(urlOf(liveApi.open)),
  wait: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
});

/** Stays connected while the shell is mounted; returns whether the connection is up. */
export function useLive(session: Session): boolean {
  const queryClient = useQueryClient();
  const who = `${session.userId} ${session.restaurant?.id ?? ''}`;
  // The courier's page polls; the stream is not available to couriers.
  const isListener = session.role !== 'courier';
  useEffect(() => {
    if (!isListener) return;
    const readAgain = (): void =>
      void queryClient.invalidateQueries({ predicate: (query) => query.queryKey[0] !== 'session' });
    return channel.start(readAgain);
  }, [who, isListener, queryClient]);
  return useSyncExternalStore(channel.onStatus, channel.isLive);
}

/** Runs for each event of that name; the handler must be stable. */
export function useLiveEvent(name: LiveEvent, handler: LiveHandler): void {
  useEffect(() => channel.on(name, handler), [name, handler]);
}
