// Fixes the address or the coordinates of an order's drop-off, so that the order can be planned.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/canonical-json.ts';
import { readContentFacts, writeContentFacts } from '../../domain/orders/content-facts.ts';
import { isFinal } from '../../domain/orders/order.ts';
import { refuse, type Refusal } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { lockContent, saveDropoff } from '../../store/orders/dropoff.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

export interface FixDropoffRequest extends ByActor {
  orderId: string;
  restaurantId: string;
  /** Each replaces the current value. */
  address?: Readonly<Record<string, string | undefined>>;
  location?: { latitude: number; longitude: number };
  /** What the fixed order still lacks. */
  findIssues: (content: JsonObject) => readonly JsonValue[];
}

export type FixDropoffResult = { kind: 'changed' | 'unchanged' } | { kind: 'refused'; refusal: Refusal };

export function fixDropoff(
  deps: Pick<AdministrationDeps, 'db' | 'clock'>,
  request: FixDropoffRequest,
): Promise<FixDropoffResult> {
  const { orderId, restaurantId, actor, address, location } = request;
  return deps.db.transaction(async (tx) => {
    const locked = await lockContent(tx, { orderId, restaurantId });
    if (locked === undefined) return { kind: 'refused', refusal: refuse('ORDER_002') };
    if (isFinal(locked.state)) {
      const message = `The drop-off can no longer be changed. The order is ${locked.state}`;
      return { kind: 'refused', refusal: refuse('ORDER_003', message) };
    }
    if (locked.isErased) {
      const message = 'The drop-off can no longer be changed. The content of the order was erased';
      return { kind: 'refused', refusal: refuse('ORDER_003', message) };
    }
    const before = locked.content['dropoff'];
    const after: JsonObject = {
      ...(isJsonObject(before) && before),
      ...(address !== undefined && { address: withoutGaps(address) }),
      ...(location !== undefined && { location: { ...location } }),
    };
    if (isDeepStrictEqual(before, after)) return { kind: 'unchanged' };
    const now = deps.clock.now();
    const content = { ...locked.content, dropoff: after };
    const facts = writeContentFacts(readContentFacts(content));
    const issues = request.findIssues(content);
    await saveDropoff(tx, { orderId, before: before ?? null, after, facts, issues, actor: actor.name, now });
    await recordChange(tx, { at: now, actor, restaurantId, action: 'order.dropoff_fixed', detail: { orderId } });
    return { kind: 'changed' };
  });
}

function withoutGaps(address: Readonly<Record<string, string | undefined>>): JsonObject {
  const given = Object.entries(address).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(given);
}
