// Signals that ask the service to stop.
import { setTimeout as delay } from 'node:timers/promises';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** A signal to a process group arrives twice: directly, and forwarded by the parent process. */
const SAME_WISH_MS = 2_000;

export function waitForSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const take = (signal: NodeJS.Signals): void => {
    resolve(signal);
    // A later signal ends the process immediately.
    setTimeout(() => SIGNALS.forEach((name) => process.off(name, take)), SAME_WISH_MS).unref();
  };
  for (const name of SIGNALS) process.on(name, take);
  return promise;
}

/** To be called after the first signal. A second one ends only the pause; one after that ends the process. */
export async function pauseUntilNextSignal(durationMs: number): Promise<void> {
  const ending = new AbortController();
  let isSecond = false;
  const take = (): void => {
    if (isSecond) ending.abort();
  };
  for (const name of SIGNALS) process.on(name, take);
  const listening = setTimeout(() => (isSecond = true), SAME_WISH_MS);
  await delay(durationMs, undefined, { signal: ending.signal }).catch(() => undefined);
  clearTimeout(listening);
  setTimeout(() => SIGNALS.forEach((name) => process.off(name, take)), SAME_WISH_MS).unref();
}
