// Endpoints with something to send take turns, one delivery each, while there is room. An endpoint that pauses
// skips turns until it is over.
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

export interface TurnsDeps {
  hasRoom(): boolean;
  start(queue: EndpointQueue, delivery: Delivery): void;
  /** How long the queue pauses after its turn. */
  pauseMsOf(queue: EndpointQueue): number;
}

export class Turns {
  readonly #deps: TurnsDeps;
  /** Queues that may have something to start; each at most once. */
  readonly #runnable = new Set<EndpointQueue>();
  readonly #paused = new Map<EndpointQueue, NodeJS.Timeout>();
  #isTaking = false;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
  }

  add(queue: EndpointQueue): void {
    if (!this.#paused.has(queue)) this.#runnable.add(queue);
  }

  clear(): void {
    this.#runnable.clear();
    for (const timer of this.#paused.values()) clearTimeout(timer);
    this.#paused.clear();
  }

  take(): void {
    // A delivery that may not be sent is dropped synchronously, which calls this again. That can happen thousands of
    // times in a row: a loop handles it, recursion would overflow the stack and end the process.
    if (this.#isTaking) return;
    this.#isTaking = true;
    while (this.#deps.hasRoom()) {
      const [queue] = this.#runnable;
      if (queue === undefined) break;
      this.#runnable.delete(queue);
      const delivery = queue.take();
      if (delivery === undefined) continue;
      this.#runnable.add(queue);
      this.#deps.start(queue, delivery);
      const pauseMs = this.#deps.pauseMsOf(queue);
      if (pauseMs > 0) this.#pause(queue, pauseMs);
    }
    this.#isTaking = false;
  }

  #pause(queue: EndpointQueue, ms: number): void {
    this.#runnable.delete(queue);
    const wake = (): void => {
      this.#paused.delete(queue);
      this.add(queue);
      this.take();
    };
    this.#paused.set(queue, setTimeout(wake, ms));
  }
}
