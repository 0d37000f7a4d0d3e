// Who changed what, and when. Details identify things and never contain a secret.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export type AuditDetail = Record<string, string | number | boolean | null>;

/** The sender of the request that makes a change. */
export interface ClientActor {
  name: string;
  /** The client's address, as determined by http/protocol/client-address.ts. */
  address: string;
}

/** Actor of a change without a request: the command line or a worker. */
export interface LocalActor {
  name: string;
  address?: never;
}

export type AuditActor = ClientActor | LocalActor;

interface AuditFacts {
  at: Instant;
  /** Null if it concerns the whole installation. */
  restaurantId: string | null;
  action: string;
  detail: AuditDetail;
}

export interface NewAuditEntry extends AuditFacts {
  actor: AuditActor;
}

export interface AuditEntry extends AuditFacts {
  actor: string;
  /** Null if the change did not come from a request. */
  clientAddress: string | null;
}

/** Runs in the same transaction as the change; on commit, every node drops its cached data of the restaurant. */
export async function recordChange(tx: Queryable, entry: NewAuditEntry): Promise<void> {
  await tx.query(
    `insert into audit_entries (at, actor, client_address, restaurant_id, action, detail)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      toTimestamp(entry.at),
      entry.actor.name,
      entry.actor.address ?? null,
      entry.restaurantId,
      entry.action,
      JSON.stringify(entry.detail),
    ],
  );
  if (entry.restaurantId !== null) await tx.query(`select pg_notify('waybill_config', $1)`, [entry.restaurantId]);
}

/** Newest first; entries of one restaurant, or of all if null. */
export function listAuditEntries(db: Queryable, restaurantId: string | null, limit: number): Promise<AuditEntry[]> {
  return db.query<AuditEntry>(
    `select at, actor, client_address, restaurant_id, action, detail from audit_entries
     where $1::uuid is null or restaurant_id = $1
     order by id desc limit $2`,
    [restaurantId, limit],
  );
}
