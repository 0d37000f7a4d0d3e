// Sends the kept acts one after the other, each until there is an answer. Nothing is taken off the list before the
// service has answered for it, so closing the page, a reload or a tunnel loses nothing; what is sent twice has the same
// id and is applied once.
import {
  EMPTY_LIST,
  findNextToSend,
  withAct,
  withAnswer,
  withoutRefused,
  withSentAgain,
  type ActAnswer,
  type ActList,
  type KeptAct,
  type NewAct,
} from './action-list.ts';

export interface ActStore {
  read: () => Promise<ActList>;
  /** Reads, changes and writes at once, whichever tab does so too. */
  change: (change: (list: ActList) => ActList) => Promise<ActList>;
}

export interface ActQueueDeps {
  courierId: string;
  store: ActStore;
  /** Throws when no answer came. */
  send: (act: KeptAct) => Promise<ActAnswer>;
  /** Runs when an act was applied, before it leaves the list: no moment shows neither the act nor its effect. */
  onApplied: (act: KeptAct) => void;
  /** Runs once no other tab does. */
  alone: (run: () => Promise<void>) => Promise<void>;
  wait: (run: () => void, delayMs: number) => () => void;
  /** Tells the other tabs that the list has changed. */
  tell: () => void;
}

export interface ActQueue {
  /** Resolves once the act is kept; from then on it is not lost. */
  add: (act: Omit<NewAct, 'courierId'>, now: number) => Promise<void>;
  /** Sends what waits; resolves when nothing waits or no answer came. */
  flush: () => Promise<void>;
  sendAgain: (orderId: string) => Promise<void>;
  dismiss: (orderId: string) => Promise<void>;
  /** After another tab has changed the list. */
  refresh: () => Promise<void>;
  acts: () => readonly KeptAct[];
  subscribe: (listener: () => void) => () => void;
  /** Shows and sends what was kept before; gives a function that ends the sending. */
  start: () => () => void;
}

const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 30_000;

export function createActQueue(deps: ActQueueDeps): ActQueue {
  const { courierId, store } = deps;
  const listeners = new Set<() => void>();
  let shown: readonly KeptAct[] = EMPTY_LIST.acts;
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
    deps.tell();
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

  /** Asked for while it is under way, it looks once more: the act or the connection may be newer than its last look. */
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

/** Waits longer each time, until something was answered. */
function createRetry(wait: ActQueueDeps['wait']) {
  let failures = 0;
  let cancel = (): void => undefined;
  return {
    later(run: () => void): void {
      failures += 1;
      cancel = wait(run, Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)));
    },
    reset(): void {
      failures = 0;
    },
    cancel: (): void => cancel(),
  };
}
