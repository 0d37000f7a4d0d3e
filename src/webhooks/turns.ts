// Endpoints with something to send take turns, one delivery each, for as long as there is room.
import type { Delivery } from '../store/deliveries.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

export interface TurnsDeps {
  hasRoom(): boolean;
  start(queue: EndpointQueue, delivery: Delivery): void;
}

export class Turns {
  readonly #deps: TurnsDeps;
  /** Queues that may have something to start; each at most once. */
  readonly #runnable = new Set<EndpointQueue>();
  #isTaking = false;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
  }

  add(queue: EndpointQueue): void {
    this.#runnable.add(queue);
  }

  clear(): void {
    this.#runnable.clear();
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
    }
    this.#isTaking = false;
  }
}
