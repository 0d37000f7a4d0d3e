// The last known orders of a courier, to detect which came or went. Stored on the phone, so that changes are noticed
// even after the page was closed.
import { z } from 'zod';

const KEY = 'waybill.courier-orders';

const kept = z.object({
  courierId: z.string(),
  /** Ids of the orders among the stops. */
  carried: z.array(z.string()),
  offered: z.array(z.string()),
});

export type SeenOrders = Pick<z.infer<typeof kept>, 'carried' | 'offered'>;

/** New orders count as given only if they were not offered: offered ones the courier accepted. */
export function compareOrders(before: SeenOrders, now: SeenOrders): { gone: string[]; given: string[] } {
  return {
    gone: before.carried.filter((id) => !now.carried.includes(id)),
    given: now.carried.filter((id) => !before.carried.includes(id) && !before.offered.includes(id)),
  };
}

/** The state before all unread changes, so that a reopened page reports them again. */
export function withoutNews({ carried, offered }: SeenOrders, unread: ReadonlySet<string>): SeenOrders {
  const gone = [...unread].filter((id) => !carried.includes(id));
  return { carried: [...carried.filter((id) => !unread.has(id)), ...gone], offered };
}

/** Undefined if this courier is new on this phone. */
export function recallOrders(courierId: string): SeenOrders | undefined {
  try {
    const seen = kept.parse(JSON.parse(localStorage.getItem(KEY) ?? 'null'));
    return seen.courierId === courierId ? seen : undefined;
  } catch {
    return undefined;
  }
}

export function rememberOrders(courierId: string, { carried, offered }: SeenOrders): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ courierId, carried, offered }));
  } catch {
    // Without free storage, changes are only remembered until the page closes.
  }
}
