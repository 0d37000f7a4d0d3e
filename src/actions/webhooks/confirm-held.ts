import type { EndpointKind } from '../../domain/webhooks/events.ts';
import { refused, refuseWith, type Refused } from '../../domain/refusals.ts';
import type { Queryable } from '../../store/database/database.ts';
import { countHeld } from '../../store/webhooks/deliveries.ts';

export interface HeldConfirmation {
  /** False: the change is refused if it would send held webhooks, so that the caller can ask first. */
  sendsHeld?: boolean;
}

/** Undefined if the held webhooks of these endpoints may be sent, or if there are none. */
export async function refuseUnconfirmed(
  tx: Queryable,
  { sendsHeld = true }: HeldConfirmation,
  { restaurantId, kinds }: { restaurantId: string; kinds: readonly EndpointKind[] },
): Promise<Refused | undefined> {
  const held = sendsHeld ? 0 : await countHeld(tx, restaurantId, kinds);
  return held === 0 ? undefined : refused(refuseWith('WEBHOOK_009', { held }));
}
