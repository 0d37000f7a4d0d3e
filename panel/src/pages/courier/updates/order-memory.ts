// The orders that a courier was last seen to have: what came or went since then is news. Kept on the phone, so that a page
// that is closed and opened again has not forgotten them.
import { z } from 'zod';

const KEY = 'waybill.courier-orders';

const kept = z.object({
  courierId: z.string(),
  /** Ids of the orders among the stops. */
  carried: z.array(z.string()),
  offered: z.array(z.string()),
});

export type SeenOrders = Pick<z.infer<typeof kept>, 'carried' | 'offered'>;

/** Of orders that came, only those that the courier was not asked about: the others they accepted themselves. */
export function compareOrders(before: SeenOrders, now: SeenOrders): { gone: string[]; given: string[] } {
  return {
    gone: before.carried.filter((id) => !now.carried.includes(id)),
    given: now.carried.filter((id) => !before.carried.includes(id) && !before.offered.includes(id)),
  };
}

/** What was seen before the news that nobody has read yet: a page that opens with it tells them again. */
export function withoutNews({ carried, offered }: SeenOrders, unread: ReadonlySet<string>): SeenOrders {
  const gone = [...unread].filter((id) => !carried.includes(id));
  return { carried: [...carried.filter((id) => !unread.has(id)), ...gone], offered };
}

/** Undefined where this courier was never seen on this phone. */
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
    // A full phone forgets with the page, as one without storage does.
  }
}
