// The queues of all endpoints that have, or had a moment ago, something to get from this node.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import { EndpointQueue, FIRST_AT_ONCE } from './endpoint-queue.ts';

/** An endpoint without a room of its own has the room of one of which nothing is known. */
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

  /** What each endpoint may get of the next claim, as far as it is limited. */
  listRooms(free: number): ClaimRooms {
    const busy = [...this.#byKey.values()].filter((queue) => queue.size > 0 || queue.isFailing);
    return new Map(busy.map((queue) => [queue.key, Math.max(0, queue.claimRoomIn(free) - queue.size)]));
  }

  /** What a claim with these rooms, of no more than the limit, says about who is behind. */
  noteClaimed(claimed: readonly Delivery[], rooms: ClaimRooms, limit: number): void {
    const shares = Map.groupBy(claimed, (delivery) => this.of(delivery));
    const isCutShort = claimed.length >= limit;
    for (const queue of this.#byKey.values()) {
      const room = rooms.get(queue.key) ?? FIRST_AT_ONCE;
      const got = shares.get(queue)?.length ?? 0;
      // Whoever got as much as it could has perhaps more to get.
      if (got > 0 && (got >= room || isCutShort)) queue.noteClaimed(true);
      else if (got < room && !isCutShort) queue.noteClaimed(false);
    }
  }

  /**
   * Whether to look again soon for what is due and was not claimed. It is locked or behind another, which is soon over;
   * but where an endpoint has no room it is most likely that one's, and those who do not answer are in no hurry.
   */
  isWorthLookingAgain(claimed: readonly Delivery[], rooms: ClaimRooms): boolean {
    if (claimed.length === 0) return rooms.values().every((room) => room > 0);
    return claimed.some((delivery) => !this.of(delivery).isSilent);
  }

  /** Forgets how well endpoints answered that are not used now. */
  forgetUnused(): void {
    for (const queue of this.#byKey.values()) {
      if (queue.size === 0 && !queue.isFailing) this.#byKey.delete(queue.key);
    }
  }
}

export function keyOf({ restaurantId, endpoint }: Pick<Delivery, 'restaurantId' | 'endpoint'>): string {
  return `${restaurantId}/${endpoint}`;
}
