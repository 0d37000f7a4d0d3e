// Simulated time: time advances only from one planned event to the next. There are two clocks. The monotonic clock
// drives every timer. The wall clock advances with it and can also be moved alone, so days pass in a moment: when
// nothing is due for hours, only the wall clock has to advance.
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import type { Clock } from '../../src/platform.ts';

/** The process that an event belongs to, which may be frozen or dead by the time the event runs. */
export interface Owner {
  isDead: boolean;
  /** While the process is frozen, its events wait here. */
  backlog: (() => void)[] | null;
}

export interface Planned {
  atMs: number;
  /** Events at the same time run in the order in which they were planned. */
  order: number;
  owner: Owner | null;
  run: (() => void) | null;
}

const START_OF_TIME = Date.parse('2026-03-01T10:00:00Z');
const drainMicrotasks = setImmediate;

export class Timeline {
  #heap: Planned[] = [];
  #nowMs = 0;
  #planned = 0;
  #wallAheadMs = START_OF_TIME;
  #current: Owner | null = null;
  happened = 0;

  readonly clock: Clock = { now: () => Math.floor(this.#nowMs + this.#wallAheadMs), monotonicMs: () => this.#nowMs };

  get nowMs(): number {
    return this.#nowMs;
  }

  get wall(): number {
    return this.clock.now();
  }

  /** Advances only the wall clock, like hours without an event. */
  moveWallBy(ms: number): void {
    this.#wallAheadMs += ms;
  }

  /** By default, the event belongs to the owner of the current event. */
  after(ms: number, run: () => void, owner: Owner | null = this.#current): Planned {
    this.#planned += 1;
    const planned: Planned = { atMs: this.#nowMs + Math.max(0, ms), order: this.#planned, owner, run };
    push(this.#heap, planned);
    return planned;
  }

  /** Runs code on behalf of an owner, as a part of the current event. */
  inNameOf(owner: Owner, run: () => void): void {
    const before = this.#current;
    this.#current = owner;
    run();
    this.#current = before;
  }

  /** Runs the next event and all microtasks that follow from it. Returns false if nothing is planned. */
  async step(): Promise<boolean> {
    const planned = pop(this.#heap);
    if (planned === undefined) return false;
    this.#nowMs = planned.atMs;
    const { run, owner } = planned;
    if (run === null || owner?.isDead === true) return true;
    if (owner?.backlog) {
      owner.backlog.push(run);
      return true;
    }
    this.happened += 1;
    this.#current = owner;
    run();
    // All promise callbacks must finish before the next event.
    await new Promise<void>((resolve) => drainMicrotasks(resolve));
    return true;
  }

  /** From here on, every timer of this thread runs on this timeline. */
  takeOverTimers(): void {
    const cancel = (planned: unknown): void => {
      if (typeof planned === 'object' && planned !== null && 'run' in planned) planned.run = null;
    };
    const wait = (ms: number, value: unknown, options?: { signal?: AbortSignal }): Promise<unknown> =>
      this.#wait(ms, value, options?.signal);
    Object.assign(globalThis, {
      setTimeout: (run: () => void, ms: number) => this.after(ms, run),
      clearTimeout: cancel,
      setInterval: (run: () => void, ms: number) => this.#repeat(ms, run),
      clearInterval: cancel,
      setImmediate: (run: () => void) => this.after(0, run),
      clearImmediate: cancel,
    });
    Object.assign(timersPromises, { setTimeout: wait });
    syncBuiltinESMExports();
  }

  #repeat(ms: number, run: () => void): Pick<Planned, 'run'> {
    const handle: Pick<Planned, 'run'> = { run };
    const again = (): void => {
      if (handle.run === null) return;
      run();
      this.after(ms, again);
    };
    this.after(ms, again);
    return handle;
  }

  #wait(ms: number, value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new Error('aborted'));
      const planned = this.after(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve(value);
      });
      const onAbort = (): void => {
        planned.run = null;
        reject(new Error('aborted'));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

function isBefore(one: Planned, other: Planned): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

function push(heap: Planned[], planned: Planned): void {
  let index = heap.length;
  heap.push(planned);
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex];
    if (parent === undefined || !isBefore(planned, parent)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = planned;
}

function pop(heap: Planned[]): Planned | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let index = 0;
  for (;;) {
    const left = heap[2 * index + 1];
    const right = heap[2 * index + 2];
    const isRight = right !== undefined && left !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (child === undefined || !isBefore(child, last)) break;
    heap[index] = child;
    index = 2 * index + (isRight ? 2 : 1);
  }
  heap[index] = last;
  return first;
}
