// Sends the stored actions one at a time, and retries each until the service responds. An action leaves the list only
// after a response, so closing the page, a reload or a tunnel loses nothing. A retry has the same id, so it is applied
// once.
import {
  EMPTY_LIST,
  findNextToSend,
  withAct,
  withAnswer,
  withoutRefused,
  withSentAgain,
  type ActAnswer,
  type ActList,
  type QueuedAct,
  type NewAct,
} from './action-list.ts';

export interface ActStore {
  read: () => Promise<ActList>;
  /** Reads, changes and writes atomically across tabs. */
  change: (change: (list: ActList) => ActList) => Promise<ActList>;
}

export interface ActQueueDeps {
  courierId: string;
  store: ActStore;
  /** Throws when there was no response. */
  send: (act: QueuedAct) => Promise<ActAnswer>;
  /** Runs after an action is applied and before it leaves the list, so that its effect never disappears from view. */
  onApplied: (act: QueuedAct) => void;
  /** Runs while holding a lock shared by all tabs. */
  alone: (run: () => Promise<void>) => Promise<void>;
  wait: (run: () => void, delayMs: number) => () => void;
  /** Notifies the other tabs that the list has changed. */
  notifyTabs: () => void;
}

export interface ActQueue {
  /** Resolves once the action is stored durably. */
  add: (act: Omit<NewAct, 'courierId'>, now: number) => Promise<void>;
  /** Sends pending actions; resolves when none is left or there was no response. */
  flush: () => Promise<void>;
  sendAgain: (orderId: string) => Promise<void>;
  dismiss: (orderId: string) => Promise<void>;
  /** Call after another tab has changed the list. */
  refresh: () => Promise<void>;
  acts: () => readonly QueuedAct[];
  subscribe: (listener: () => void) => () => void;
  /** Shows and sends the stored actions; returns a function that stops sending. */
  start: () => () => void;
}

const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 30_000;

export function createActQueue(deps: ActQueueDeps): ActQueue {
  const { courierId, store } = deps;
  const listeners = new Set<() => void>();
  let shown: readonly QueuedAct[] = EMPTY_LIST.acts;
  const retry = createRetry(deps.wait);
  let flushing: Promise<void> | undefined;
  let isAsked = false;
  let isStopped = true;

  const show = (list: ActList): void => {
    shown = list.acts.filter((act) => act.courierId === courierId);
    for (const listener of listeners) listener();
  };

  const change = async (update: (list: ActList) => ActList): Promise<void> => {
    show(await store.change(update));
    deps.notifyTabs();
  };

  const refresh = async (): Promise<void> => show(await store.read());

  const sendAll = async (): Promise<void> => {
    for (;;) {
      const act = findNextToSend(await store.read(), courierId);
      if (act === undefined || isStopped) return;
      const answer = await deps.send(act);
      retry.reset();
      if (answer.outcome === 'applied') deps.onApplied(act);
      await change((list) => withAnswer(list, act.id, answer));
    }
  };

  const sendWhileAsked = async (): Promise<void> => {
    while (isAsked) {
      isAsked = false;
      if (isStopped) return;
      retry.cancel();
      await deps.alone(sendAll).catch(() => retry.later(() => void flush()));
    }
  };

  /** A call during a flush causes another pass: the action or the connection may be newer than the running pass. */
  const flush = (): Promise<void> => {
    isAsked = true;
    flushing ??= sendWhileAsked().finally(() => {
      flushing = undefined;
    });
    return flushing;
  };

  return {
    async add(act, now) {
      await change((list) => withAct(list, { ...act, courierId }, now));
      void flush();
    },
    flush,
    async sendAgain(orderId) {
      await change((list) => withSentAgain(list, orderId));
      void flush();
    },
    dismiss: (orderId) => change((list) => withoutRefused(list, orderId)),
    refresh,
    acts: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      isStopped = false;
      void refresh();
      void flush();
      return () => {
        isStopped = true;
        retry.cancel();
      };
    },
  };
}

/** Exponential backoff, reset by any response. */
function createRetry(wait: ActQueueDeps['wait']) {
  let failures = 0;
  let cancel = (): void => undefined;
  return {
    later(run: () => void): void {
      failures += 1;
      cancel = wait(run, Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)));
    },
    reset(): void {
      failures = 0;
    },
    cancel: (): void => cancel(),
  };
}
