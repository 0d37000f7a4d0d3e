// A wait that can be cut short.

export interface Alarm {
  ring(): void;
  /** Resolves after the time, at the next ring, on abort, or immediately if it rang since the last wait. */
  wait(timeMs: number, signal: AbortSignal): Promise<void>;
}

export function createAlarm(): Alarm {
  let hasRung = false;
  let wakeUp: (() => void) | undefined;
  return {
    ring() {
      hasRung = true;
      wakeUp?.();
    },
    async wait(timeMs, signal) {
      if (!hasRung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeMs);
          wakeUp = () => {
            clearTimeout(timer);
            resolve();
          };
          signal.addEventListener('abort', wakeUp, { once: true });
        });
        if (wakeUp !== undefined) signal.removeEventListener('abort', wakeUp);
        wakeUp = undefined;
      }
      hasRung = false;
    },
  };
}
