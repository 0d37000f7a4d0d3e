// Endpoints with something to send take turns, one delivery each, for as long as there is room. One that is to rest after
// its turn sits out until then.
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

export interface TurnsDeps {
  hasRoom(): boolean;
  start(queue: EndpointQueue, delivery: Delivery): void;
  /** How long the queue sits out after its turn; 0: not at all. */
  restMsOf(queue: EndpointQueue): number;
}

export class Turns {
  readonly #deps: TurnsDeps;
  /** Queues that may have something to start; each at most once. */
  readonly #runnable = new Set<EndpointQueue>();
  readonly #resting = new Map<EndpointQueue, NodeJS.Timeout>();
  #isTaking = false;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
  }

  add(queue: EndpointQueue): void {
    if (!this.#resting.has(queue)) this.#runnable.add(queue);
  }

  clear(): void {
    this.#runnable.clear();
    for (const timer of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
  }

  take(): void {
    // A delivery that may not be sent is let go at once, which calls this again: as a loop it may happen to thousands
    // in a row, as a recursion it would end the process.
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
      const restMs = this.#deps.restMsOf(queue);
      if (restMs > 0) this.#rest(queue, restMs);
    }
    this.#isTaking = false;
  }

  #rest(queue: EndpointQueue, ms: number): void {
    this.#runnable.delete(queue);
    const wake = (): void => {
      this.#resting.delete(queue);
      this.add(queue);
      this.take();
    };
    this.#resting.set(queue, setTimeout(wake, ms));
  }
}
