// The queues of all endpoints with deliveries on this node, and of those that had some recently.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import { EndpointQueue, INITIAL_CONCURRENT } from './endpoint-queue.ts';

/** By queue key. An endpoint without an entry gets the room of one without history (`INITIAL_CONCURRENT`). */
export type ClaimRooms = ReadonlyMap<string, number>;

export class EndpointQueues {
  #byKey = new Map<string, EndpointQueue>();

  all(): Iterable<EndpointQueue> {
    return this.#byKey.values();
  }

  find(restaurantId: string, endpoint: EndpointKind): EndpointQueue | undefined {
    return this.#byKey.get(keyOf({ restaurantId, endpoint }));
  }

  of(delivery: Delivery): EndpointQueue {
    const key = keyOf(delivery);
    let queue = this.#byKey.get(key);
    if (queue === undefined) {
      queue = new EndpointQueue(key);
      this.#byKey.set(key, queue);
    }
    return queue;
  }

  /** How many deliveries the next claim may fetch for each endpoint; without an entry, the default applies. */
  listRooms(free: number): ClaimRooms {
    const busy = [...this.#byKey.values()].filter((queue) => queue.size > 0 || queue.isFailing);
    return new Map(busy.map((queue) => [queue.key, Math.max(0, queue.claimRoomIn(free) - queue.size)]));
  }

  /** Updates each endpoint's backlog from a claim that was made with these rooms and this limit. */
  noteClaimed(claimed: readonly Delivery[], rooms: ClaimRooms, limit: number): void {
    const shares = Map.groupBy(claimed, (delivery) => this.of(delivery));
    const isCutShort = claimed.length >= limit;
    for (const queue of this.#byKey.values()) {
      const room = rooms.get(queue.key) ?? INITIAL_CONCURRENT;
      const got = shares.get(queue)?.length ?? 0;
      // An endpoint that got all it could may have more due.
      if (got > 0 && (got >= room || isCutShort)) queue.noteClaimed(true);
      else if (got < room && !isCutShort) queue.noteClaimed(false);
    }
  }

  /**
   * Whether to poll again soon for deliveries that are due but were not claimed. Most are locked or wait behind another
   * one, which ends soon. If an endpoint has no room they are probably its own, and silent endpoints are not urgent.
   */
  isWorthLookingAgain(claimed: readonly Delivery[], rooms: ClaimRooms): boolean {
    if (claimed.length === 0) return rooms.values().every((room) => room > 0);
    return claimed.some((delivery) => !this.of(delivery).isSilent);
  }

  /** Forgets the answer history of endpoints that are not in use. */
  forgetUnused(): void {
    for (const queue of this.#byKey.values()) {
      if (queue.size === 0 && !queue.isFailing) this.#byKey.delete(queue.key);
    }
  }
}

export function keyOf({ restaurantId, endpoint }: Pick<Delivery, 'restaurantId' | 'endpoint'>): string {
  return `${restaurantId}/${endpoint}`;
}
