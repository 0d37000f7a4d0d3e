// A virtual machine shares its processors with other machines. Its kernel counts the time stolen by the host; a latency
// measured during such a moment says something about those other machines, and nothing about the service.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { monotonicMs } from './monotonic.ts';

const LOOK_INTERVAL_MS = 50;
/** Field in the /proc/stat line for all processors together; see proc_stat(5). */
const STEAL_FIELD = 8;
const TICKS_PER_SECOND = 100;

/** Undefined if the system does not count stolen time; the callers then assume none. */
function readStolenTicks(): number | undefined {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const ticks = Number(all.split(/\s+/)[STEAL_FIELD]);
    return Number.isFinite(ticks) ? ticks : undefined;
  } catch {
    return undefined;
  }
}

/** For all processors together, since boot. */
export function readStolenMs(): number {
  return ((readStolenTicks() ?? 0) * 1_000) / TICKS_PER_SECOND;
}

export interface StolenTimeDeps {
  read(): number | undefined;
  nowMs(): number;
}

const OF_THIS_MACHINE: StolenTimeDeps = { read: readStolenTicks, nowMs: monotonicMs };

/** Samples the stolen time periodically, so that any time span can later be checked for disturbance. */
export class StolenTime {
  readonly #deps: StolenTimeDeps;
  readonly #looks: { atMs: number; ticks: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: StolenTimeDeps = OF_THIS_MACHINE) {
    this.#deps = deps;
  }

  start(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_INTERVAL_MS);
  }

  /** Takes a last sample. */
  stop(): void {
    clearInterval(this.#timer);
    this.look();
  }

  look(): void {
    const ticks = this.#deps.read();
    if (ticks !== undefined) this.#looks.push({ atMs: this.#deps.nowMs(), ticks });
  }

  /** When time was stolen between two samples is unknown, so the span is widened to the samples around it. */
  isUndisturbed(fromMs: number, toMs: number): boolean {
    const after = this.#looks.findIndex(({ atMs }) => atMs > fromMs);
    const before = this.#looks[(after === -1 ? this.#looks.length : after) - 1];
    const end = this.#looks.find(({ atMs }) => atMs >= toMs);
    return before === undefined || end === undefined || before.ticks === end.ticks;
  }
}

/** Share of the machine's total processor time. */
const DISTURBING_SHARE = 0.02;
export const MAX_TURNS_FOR_ONE = 3;

/** Returns the wanted number of turns. Repeats turns with much stolen time, up to three times as many turns in all. */
export async function takeTurns<Result>(
  wanted: number,
  turn: () => Promise<Result>,
  { read, nowMs }: StolenTimeDeps = OF_THIS_MACHINE,
): Promise<Result[]> {
  const turns: { result: Result; stolenShare: number }[] = [];
  const countGood = (): number => turns.filter(({ stolenShare }) => stolenShare <= DISTURBING_SHARE).length;
  while (countGood() < wanted && turns.length < wanted * MAX_TURNS_FOR_ONE) {
    const before = { ticks: read() ?? 0, atMs: nowMs() };
    const result = await turn();
    const seconds = (nowMs() - before.atMs) / 1000;
    const stolenSeconds = ((read() ?? 0) - before.ticks) / TICKS_PER_SECOND;
    turns.push({ result, stolenShare: stolenSeconds / (seconds * availableParallelism()) });
  }
  return turns
    .toSorted((one, other) => one.stolenShare - other.stolenShare)
    .slice(0, wanted)
    .map(({ result }) => result);
}
