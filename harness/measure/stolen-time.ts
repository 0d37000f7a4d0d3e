// A virtual machine shares its processors with others that nobody here knows of. Its kernel counts the time that was taken
// from it, and what waited through such a moment tells of the neighbours and not of the service.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { monotonicMs } from './monotonic.ts';

const LOOK_INTERVAL_MS = 50;
/** In the line of /proc/stat that adds up all processors; see proc_stat(5). */
const STEAL_FIELD = 8;
const TICKS_PER_SECOND = 100;

/** Undefined where nobody counts it; there nothing is known to be stolen. */
function readStolenTicks(): number | undefined {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const ticks = Number(all.split(/\s+/)[STEAL_FIELD]);
    return Number.isFinite(ticks) ? ticks : undefined;
  } catch {
    return undefined;
  }
}

/** Of all processors together, since the machine was started. */
export function readStolenMs(): number {
  return ((readStolenTicks() ?? 0) * 1_000) / TICKS_PER_SECOND;
}

export interface StolenTimeDeps {
  read(): number | undefined;
  nowMs(): number;
}

const OF_THIS_MACHINE: StolenTimeDeps = { read: readStolenTicks, nowMs: monotonicMs };

/** Looks now and then how much was stolen, and says afterwards of any span of time whether it was undisturbed. */
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

  /** With a last look. */
  stop(): void {
    clearInterval(this.#timer);
    this.look();
  }

  look(): void {
    const ticks = this.#deps.read();
    if (ticks !== undefined) this.#looks.push({ atMs: this.#deps.nowMs(), ticks });
  }

  /** Between two looks it is not known when something was stolen: the span reaches from the one before it to the one after. */
  isUndisturbed(fromMs: number, toMs: number): boolean {
    const after = this.#looks.findIndex(({ atMs }) => atMs > fromMs);
    const before = this.#looks[(after === -1 ? this.#looks.length : after) - 1];
    const end = this.#looks.find(({ atMs }) => atMs >= toMs);
    return before === undefined || end === undefined || before.ticks === end.ticks;
  }
}

/** Of the machine. */
const DISTURBING_SHARE = 0.02;
export const MOST_TURNS_FOR_ONE = 3;

/** Gives as many turns as wanted; those from which the host stole much are made anew, as long as that is reasonable. */
export async function takeTurns<Result>(
  wanted: number,
  turn: () => Promise<Result>,
  { read, nowMs }: StolenTimeDeps = OF_THIS_MACHINE,
): Promise<Result[]> {
  const turns: { result: Result; stolenShare: number }[] = [];
  const countGood = (): number => turns.filter(({ stolenShare }) => stolenShare <= DISTURBING_SHARE).length;
  while (countGood() < wanted && turns.length < wanted * MOST_TURNS_FOR_ONE) {
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
