// A node's attempts in flight. Prompt attempts and all attempts have separate limits, so that endpoints that hang
// cannot use up the capacity of the others.
import type { Clock } from '../../platform.ts';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

export interface AttemptInFlight {
  queue: EndpointQueue;
  delivery: Delivery;
  startedMs: number;
  isSlow: boolean;
}

const MAX_PROMPT = 512;
const MAX_TOTAL = 4_096;
const SLOW_AFTER_MS = 1_000;
const WATCH_INTERVAL_MS = 250;

export class AttemptsInFlight {
  #clock: Clock;
  #onRoom: () => void;
  /** Oldest first. */
  #all = new Set<AttemptInFlight>();
  #promptCount = 0;
  #watching: NodeJS.Timeout | undefined;
  #idleWaiters: (() => void)[] = [];

  /** `onRoom` is called when room may have become free without an attempt ending: attempts that turn slow free some. */
  constructor(clock: Clock, onRoom: () => void) {
    this.#clock = clock;
    this.#onRoom = onRoom;
  }

  get size(): number {
    return this.#all.size;
  }

  get hasRoom(): boolean {
    return this.#promptCount < MAX_PROMPT && this.#all.size < MAX_TOTAL;
  }

  begin(queue: EndpointQueue, delivery: Delivery): AttemptInFlight {
    const work = { queue, delivery, startedMs: this.#clock.monotonicMs(), isSlow: false };
    this.#all.add(work);
    this.#promptCount += 1;
    this.#watching ??= setInterval(() => this.#watch(), WATCH_INTERVAL_MS);
    return work;
  }

  end(work: AttemptInFlight): void {
    work.queue.finish(work.delivery, work.isSlow);
    this.#all.delete(work);
    if (!work.isSlow) this.#promptCount -= 1;
    if (this.#all.size === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  async idle(): Promise<void> {
    if (this.#all.size > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  #watch(): void {
    const slowSinceMs = this.#clock.monotonicMs() - SLOW_AFTER_MS;
    for (const work of this.#all) {
      if (work.startedMs > slowSinceMs) break;
      if (work.isSlow) continue;
      work.isSlow = true;
      work.queue.noteSlow();
      this.#promptCount -= 1;
    }
    if (this.#all.size > 0) return this.#onRoom();
    clearInterval(this.#watching);
    this.#watching = undefined;
  }
}
