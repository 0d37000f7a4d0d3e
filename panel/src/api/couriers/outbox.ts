// The queue of actions in this browser: stored in IndexedDB, sent by one tab at a time, shown in all tabs.
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { postAct, workQuery } from './courier.ts';
import type { ActAnswer, QueuedAct } from './action-list.ts';
import { createActQueue, type ActQueue } from './action-queue.ts';
import { openActStore } from './action-store.ts';
import { withActs } from './work-with-actions.ts';

const NAME = 'waybill.courier-acts';
const store = openActStore();

export interface Acts {
  waiting: readonly QueuedAct[];
  refused: readonly QueuedAct[];
  queue: ActQueue;
}

export function useActs(courierId: string): Acts {
  const queryClient = useQueryClient();
  const { queue, start } = useMemo(() => openQueue(courierId, queryClient), [courierId, queryClient]);
  useEffect(start, [start]);
  const acts = useSyncExternalStore(queue.subscribe, queue.acts);
  return useMemo(
    () => ({
      queue,
      waiting: acts.filter((act) => act.refusal === null),
      refused: acts.filter((act) => act.refusal !== null),
    }),
    [queue, acts],
  );
}

function openQueue(courierId: string, queryClient: QueryClient): { queue: ActQueue; start: () => () => void } {
  let notifyTabs = (): void => undefined;
  const queue = createActQueue({
    courierId,
    store,
    send: (act) => sendAs(queryClient, act),
    onApplied: (act) => foldIn(queryClient, act),
    alone,
    wait: (run, delayMs) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
    notifyTabs: () => notifyTabs(),
  });
  const start = (): (() => void) => {
    const tabs = new BroadcastChannel(NAME);
    // A BroadcastChannel has no target origin, unlike a window.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    notifyTabs = () => tabs.postMessage(null);
    tabs.addEventListener('message', () => {
      void queue.refresh();
      void queryClient.invalidateQueries({ queryKey: workQuery.queryKey });
    });
    const flush = (): void => void queue.flush();
    window.addEventListener('online', flush);
    document.addEventListener('visibilitychange', flush);
    const stop = queue.start();
    return () => {
      stop();
      window.removeEventListener('online', flush);
      document.removeEventListener('visibilitychange', flush);
      notifyTabs = () => undefined;
      tabs.close();
    };
  };
  return { queue, start };
}

/** Another user may have signed in in another tab: the action waits until its own courier is back. */
function sendAs(queryClient: QueryClient, act: QueuedAct): Promise<ActAnswer> {
  const known = queryClient.getQueryData(workQuery.queryKey);
  if (known !== undefined && known.courier.id !== act.courierId) return Promise.reject(new Error('not this courier'));
  return postAct(act);
}

/** Locks need HTTPS. Without them, two tabs may send the same action; the service applies it once. */
function alone(run: () => Promise<void>): Promise<void> {
  return 'locks' in navigator ? navigator.locks.request(NAME, run) : run();
}

/** Applies the action to the cached work immediately. A running request is canceled: it may predate the action. */
function foldIn(queryClient: QueryClient, act: QueuedAct): void {
  void queryClient.cancelQueries({ queryKey: workQuery.queryKey });
  queryClient.setQueryData(workQuery.queryKey, (work) => work && { ...work, stops: [...withActs(work.stops, [act])] });
  void queryClient.invalidateQueries({ queryKey: workQuery.queryKey });
}
