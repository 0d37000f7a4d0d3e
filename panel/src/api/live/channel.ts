// The connection behind live.ts, without React or the browser, so that it can be tested alone.

import type { LiveEvent } from '../../../../src/contract/panel/live.ts';

export type LiveHandler = (data: unknown) => void;

/** The part of EventSource that is used. */
export interface LiveConnection {
  readonly readyState: number;
  addEventListener(name: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
}

export interface LiveChannel {
  /** Connects, and returns a function that disconnects. `onGap` runs when events may have been missed. */
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
const MAX_RETRY_MS = 15_000;
/** An outage shorter than this is not shown. */
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
    // A resumed stream replays missed events. These two mean that it could not: no resume point, or too many missed.
    for (const name of GAPS) opened.addEventListener(name, () => onGap());
    opened.addEventListener('error', () => {
      stopGrace ??= deps.wait(() => show(false), GRACE_MS);
      if (opened.readyState !== CLOSED || connection !== opened) return;
      failures += 1;
      const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
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
