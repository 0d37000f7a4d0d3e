// A plan takes tens of milliseconds, and requests share processors with it. Regardless of priorities, a kernel may let
// the running thread keep a processor until its next clock tick, 4 ms later; a request that waits like that a few times
// takes twice as long. So a planning thread yields its processor for a moment, about three times per millisecond. A
// lower priority would delay its return after each yield, and plans would take longer.
const MAX_WORK_MS = 0.25;
/** The shortest possible sleep; the kernel makes it about twice as long. */
const REST_MS = 0.05;

export interface YieldPointDeps {
  monotonicMs: () => number;
  rest?: (ms: number) => void;
}

/** Call it between small steps of the work: it sleeps if the last sleep is long enough ago. */
export function createYieldPoint({ monotonicMs, rest = sleep }: YieldPointDeps): () => void {
  let restedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (monotonicMs() - restedAtMs < MAX_WORK_MS) return;
    rest(REST_MS);
    restedAtMs = monotonicMs();
  };
}

const nobodyWakesIt = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

function sleep(ms: number): void {
  Atomics.wait(nobodyWakesIt, 0, 0, ms);
}
