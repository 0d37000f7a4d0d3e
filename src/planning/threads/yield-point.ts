// A plan takes tens of milliseconds, and requests share processors with it. A kernel may leave a processor to whoever has
// it until the next tick of its clock, four milliseconds later, whatever the priorities are: a request that has to wait
// like that a few times takes twice as long. So a planning thread lets go of its processor by itself, for a moment,
// about three times in each millisecond. With a lower priority it would get it back later, and plans would take longer.
const LONGEST_WORK_MS = 0.25;
/** As short as a sleep can be; the kernel makes about twice of it. */
const REST_MS = 0.05;

export interface BreathDeps {
  monotonicMs: () => number;
  rest?: (ms: number) => void;
}

/** To be called between small steps of the work: rests where the last rest is long enough ago. */
export function createBreath({ monotonicMs, rest = sleep }: BreathDeps): () => void {
  let restedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (monotonicMs() - restedAtMs < LONGEST_WORK_MS) return;
    rest(REST_MS);
    restedAtMs = monotonicMs();
  };
}

const nobodyWakesIt = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

function sleep(ms: number): void {
  Atomics.wait(nobodyWakesIt, 0, 0, ms);
}
