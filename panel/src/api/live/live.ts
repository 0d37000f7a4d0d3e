// News from the service, as server-sent events. The browser resumes after a lost connection from the last event it
// saw; when it cannot, everything on the page is read again.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveEvent } from '../../../../src/contract/panel/live.ts';
import type { Session } from '../people/session.ts';
import { createLiveChannel, type LiveHandler } from './channel.ts';

const channel = createLiveChannel({
  open: () => new EventSource('/api/live'),
  wait: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
});

/** Keeps the connection for as long as the frame is shown; says whether it stands. */
export function useLive(session: Session): boolean {
  const queryClient = useQueryClient();
  const who = `${session.userId} ${session.restaurant?.id ?? ''}`;
  // A courier's page asks by itself; the stream is not for couriers.
  const isListener = session.role !== 'courier';
  useEffect(() => {
    if (!isListener) return;
    const readAgain = (): void =>
      void queryClient.invalidateQueries({ predicate: (query) => query.queryKey[0] !== 'session' });
    return channel.start(readAgain);
  }, [who, isListener, queryClient]);
  return useSyncExternalStore(channel.onStatus, channel.isLive);
}

/** Runs for each event of that name; the handler has to be stable. */
export function useLiveEvent(name: LiveEvent, handler: LiveHandler): void {
  useEffect(() => channel.on(name, handler), [name, handler]);
}
