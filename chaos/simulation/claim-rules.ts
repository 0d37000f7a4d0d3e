// Which deliveries a claim may take: the conditions of the two statements in src/store/webhooks/claim.ts.
import type { Mistake } from './mistakes.ts';
import { texts } from './statement-values.ts';
import type { EndpointKind } from '../../src/domain/webhooks/events.ts';

export interface DeliveryRow {
  eventId: string;
  restaurantId: string;
  endpoint: EndpointKind;
  orderId: string;
  version: number;
  attempts: number;
  failures: number;
  dueAt: number | null;
  leasedBy: string | null;
  body: string;
}

/**
 * The delivery needs attention now, regardless of the clock. Includes held ones, because every endpoint reopens. One
 * whose first attempt was lost with its node has a failure without an attempt, and waits for its retry.
 */
export function isWanted({ leasedBy, failures, dueAt }: DeliveryRow): boolean {
  return leasedBy !== null || failures === 0 || dueAt === null;
}

export interface StoredDeliveries {
  deliveries: ReadonlyMap<string, DeliveryRow>;
  laneOf(row: DeliveryRow): Iterable<DeliveryRow>;
}

type Mistakes = ReadonlySet<Mistake>;

/** `list_due_deliveries`: in the order of their due times. Undefined if as many are due as the limit. */
export function listDue(
  store: StoredDeliveries,
  mistakes: Mistakes,
  values: readonly unknown[],
): DeliveryRow[] | undefined {
  const [nowText, limit, nodeId] = values;
  const due = listAllDue(store, Date.parse(String(nowText)));
  if (due.length >= Number(limit)) return undefined;
  return due.filter((row) => isCandidate(store, row, { nodeId, mistakes }));
}

function listAllDue(store: StoredDeliveries, now: number): DeliveryRow[] {
  const due = [...store.deliveries.values()].filter((row) => isFreeAndDue(row, now));
  return due.sort((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0));
}

function isCandidate(
  store: StoredDeliveries,
  row: DeliveryRow,
  { nodeId, mistakes }: { nodeId: unknown; mistakes: Mistakes },
): boolean {
  return mayGo(store, row, (other) => isElsewhere(other, nodeId, mistakes) || isAhead(row, other, mistakes));
}

/** `list_due_deliveries_fairly`: a share for each endpoint with capacity left. */
export function listDueFairly(store: StoredDeliveries, mistakes: Mistakes, values: readonly unknown[]): DeliveryRow[] {
  const [nowText, limit, nodeId, keys, sizes, roomOfOthers] = values;
  const rooms = new Map(texts(keys).map((key, index) => [key, Number(texts(sizes)[index])]));
  const roomOf = (key: string): number => rooms.get(key) ?? Number(roomOfOthers);
  const due = listAllDue(store, Date.parse(String(nowText))).filter(
    (row) => roomOf(keyOf(row)) > 0 && isCandidate(store, row, { nodeId, mistakes }),
  );
  const byEndpoint = [...Map.groupBy(due, keyOf)];
  const share = Math.ceil(Number(limit) / Math.min(byEndpoint.length, 10));
  const shares = byEndpoint.map(([key, rows]) => rows.slice(0, Math.min(share, roomOf(key))));
  return shares.flat().slice(0, Number(limit));
}

export function keyOf(row: DeliveryRow): string {
  return `${row.restaurantId}/${row.endpoint}`;
}

/** `lease_due_deliveries`: for the locked orders, first attempts first, then the newest states. */
export function chooseDue(store: StoredDeliveries, mistakes: Mistakes, values: readonly unknown[]): DeliveryRow[] {
  const [nodeId, ids, nowText, full, heldIds, limit] = values;
  const now = Date.parse(String(nowText));
  const orderIds = new Set(texts(ids));
  const isOpen = roomFor(full);
  const held = heldIds === null ? null : new Set(texts(heldIds));
  const isUnknownHere = (other: DeliveryRow): boolean =>
    other.leasedBy === nodeId && held !== null && !held.has(other.eventId);
  const isWaiting = (other: DeliveryRow): boolean => other.dueAt === null || other.dueAt > now;
  const chosen = [...store.deliveries.values()].filter(
    (row) =>
      orderIds.has(row.orderId) &&
      isFreeAndDue(row, now) &&
      isOpen(row) &&
      mayGo(
        store,
        row,
        (other) =>
          isElsewhere(other, nodeId, mistakes) ||
          isUnknownHere(other) ||
          (isAhead(row, other, mistakes) && isWaiting(other)),
      ),
  );
  const rankOf = (row: DeliveryRow): number => (row.attempts === 0 ? row.version - 1e6 : -row.version);
  return chosen.sort((one, other) => rankOf(one) - rankOf(other)).slice(0, Number(limit));
}

function isFreeAndDue(row: DeliveryRow, now: number): boolean {
  return row.leasedBy === null && row.dueAt !== null && row.dueAt <= now;
}

function roomFor(fullEndpoints: unknown): (row: DeliveryRow) => boolean {
  const full = new Set(texts(fullEndpoints));
  return (row) => !full.has(keyOf(row));
}

/** True if no other delivery of the same order and endpoint blocks it. */
function mayGo(store: StoredDeliveries, row: DeliveryRow, stops: (other: DeliveryRow) => boolean): boolean {
  for (const other of store.laneOf(row)) if (other !== row && stops(other)) return false;
  return true;
}

function isElsewhere(other: DeliveryRow, nodeId: unknown, mistakes: Mistakes): boolean {
  return other.leasedBy !== null && other.leasedBy !== nodeId && !mistakes.has('claim-of-shared-orders');
}

function isAhead(row: DeliveryRow, other: DeliveryRow, mistakes: Mistakes): boolean {
  const isNew = other.leasedBy === null && other.attempts === 0;
  return isNew && other.version < row.version && !mistakes.has('overtaking');
}
