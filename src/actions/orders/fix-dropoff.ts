// Fixes the address or the coordinates of an order's drop-off, so that the order can be planned.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/canonical-json.ts';
import { readContentFacts, writeContentFacts } from '../../domain/orders/content-facts.ts';
import { isFinal } from '../../domain/orders/order.ts';
import { isInScope, type Scope } from '../../domain/people/scope.ts';
import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { lockContent, saveDropoff } from '../../store/orders/dropoff.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

export interface FixDropoffRequest extends ByActor {
  orderId: string;
  scope: Scope;
  /** Each replaces the current value. */
  address?: Readonly<Record<string, string | undefined>>;
  location?: { latitude: number; longitude: number };
  /** What the fixed order still lacks. */
  findIssues: (content: JsonObject) => readonly JsonValue[];
}

export type FixDropoffResult = { kind: 'changed' | 'unchanged' } | Refused;

export function fixDropoff(
  deps: Pick<AdministrationDeps, 'db' | 'clock'>,
  request: FixDropoffRequest,
): Promise<FixDropoffResult> {
  const { orderId, scope, actor, address, location } = request;
  return deps.db.transaction(async (tx) => {
    const locked = await lockContent(tx, orderId);
    if (locked === undefined || !isInScope(scope, locked)) return refused(refuse('ORDER_002'));
    const { restaurantId } = locked;
    if (isFinal(locked.state)) {
      return refused(refuse('ORDER_003', `The drop-off can no longer be changed. The order is ${locked.state}`));
    }
    if (locked.isErased) {
      const message = 'The drop-off can no longer be changed. The content of the order was erased';
      return refused(refuse('ORDER_003', message));
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
