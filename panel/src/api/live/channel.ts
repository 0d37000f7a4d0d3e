// The connection behind live.ts, apart from React and the browser so that it can be tried by itself.

import type { LiveEvent } from '../../../../src/contract/panel/live.ts';

export type LiveHandler = (data: unknown) => void;

/** What of the browser's EventSource is used. */
export interface LiveConnection {
  readonly readyState: number;
  addEventListener(name: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
}

export interface LiveChannel {
  /** Connects, and gives a function that ends it. `onGap` runs when news may have been missed. */
  start: (onGap: () => void) => () => void;
  on: (name: string, handler: LiveHandler) => () => void;
  isLive: () => boolean;
  onStatus: (listener: () => void) => () => void;
}

export interface LiveChannelDeps {
  open: () => LiveConnection;
  wait: (run: () => void, delayMs: number) => () => void;
}

const CLOSED = 2;
const GAPS = ['hello', 'reset'] as const satisfies readonly LiveEvent[];
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 15_000;
/** A connection that comes back within this time is no news to anybody. */
const GRACE_MS = 2500;

export function createLiveChannel(deps: LiveChannelDeps): LiveChannel {
  const handlers = new Map<string, Set<LiveHandler>>();
  const listeners = new Set<() => void>();
  let connection: LiveConnection | undefined;
  let isShownLive = true;
  let failures = 0;
  let stopGrace: (() => void) | undefined;
  let stopRetry: (() => void) | undefined;

  const show = (isLive: boolean): void => {
    stopGrace?.();
    stopGrace = undefined;
    if (isLive === isShownLive) return;
    isShownLive = isLive;
    for (const listener of listeners) listener();
  };

  const hear = (name: string, event: { data?: unknown }): void => {
    if (typeof event.data !== 'string') return;
    const data: unknown = JSON.parse(event.data);
    for (const handler of handlers.get(name) ?? []) handler(data);
  };

  const connect = (onGap: () => void): void => {
    const opened = deps.open();
    connection = opened;
    opened.addEventListener('open', () => {
      failures = 0;
      show(true);
    });
    // Whoever resumes is told what was missed. These say that there was no place to resume from, or too much was missed.
    for (const name of GAPS) opened.addEventListener(name, () => onGap());
    opened.addEventListener('error', () => {
      stopGrace ??= deps.wait(() => show(false), GRACE_MS);
      if (opened.readyState !== CLOSED || connection !== opened) return;
      failures += 1;
      const delayMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
      stopRetry = deps.wait(() => connect(onGap), delayMs);
    });
    for (const name of handlers.keys()) opened.addEventListener(name, (event) => hear(name, event));
  };

  return {
    start(onGap) {
      connect(onGap);
      return () => {
        connection?.close();
        connection = undefined;
        stopRetry?.();
        stopGrace?.();
        stopGrace = undefined;
        failures = 0;
      };
    },
    on(name, handler) {
      const known = handlers.get(name);
      const set = known ?? new Set<LiveHandler>();
      set.add(handler);
      if (known === undefined) {
        handlers.set(name, set);
        connection?.addEventListener(name, (event) => hear(name, event));
      }
      return () => set.delete(handler);
    },
    isLive: () => isShownLive,
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
