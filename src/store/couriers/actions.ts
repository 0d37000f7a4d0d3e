// What couriers reported and what was applied of it.
import type { ActKind } from '../../domain/couriers/courier.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface CourierAct {
  /** Given by the courier's page; the same act has the same id however often it is sent. */
  id: string;
  courierId: string;
  orderId: string;
  kind: ActKind;
  actedAt: Instant;
  receivedAt: Instant;
}

export type KnownAct = Pick<CourierAct, 'orderId' | 'kind'>;

/**
 * Acts are stored under an id derived from the courier's, so that two couriers may use the same id without noticing
 * each other. Rows of earlier versions have the id as it was sent.
 */
const STORED_ID = `md5($2::uuid || ' ' || $1::uuid)::uuid`;

export async function findAct(
  db: Queryable,
  { id, courierId }: Pick<CourierAct, 'id' | 'courierId'>,
): Promise<KnownAct | undefined> {
  const [row] = await db.query<{ order_id: string; kind: ActKind }>(
    {
      name: 'find_act',
      text: `select order_id, kind from courier_acts where id in ($1, ${STORED_ID}) and courier_id = $2 limit 1`,
    },
    [id, courierId],
  );
  return row && { orderId: row.order_id, kind: row.kind };
}

/** The steps of one courier with one order. A problem is none: it may be told at any time. */
export async function listSteps(
  db: Queryable,
  { orderId, courierId }: Pick<CourierAct, 'orderId' | 'courierId'>,
): Promise<Pick<CourierAct, 'kind' | 'actedAt'>[]> {
  const rows = await db.query<{ kind: ActKind; acted_at: Date }>(
    {
      name: 'list_steps',
      text: `select kind, acted_at from courier_acts where order_id = $1 and courier_id = $2 and kind <> 'problem'`,
    },
    [orderId, courierId],
  );
  return rows.map((row) => ({ kind: row.kind, actedAt: row.acted_at.getTime() }));
}

const NOTE_KINDS: Partial<Record<ActKind, string>> = {
  arrived: 'courier_at_pickup',
  arrived_dropoff: 'courier_at_dropoff',
  problem: 'problem_reported',
};

/** With a note in the order's history where the act is no transition of its own. False when it was known already. */
export async function insertAct(tx: Queryable, act: CourierAct, detail: string | null): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_act',
      text: `
        with done as (
          insert into courier_acts (id, courier_id, order_id, kind, acted_at, received_at)
          values (${STORED_ID}, $2, $3, $4, $5, $6)
          on conflict (id) do nothing
          returning order_id, courier_id, acted_at
        ),
        noted as (
          insert into order_history (order_id, at, kind, actor, courier_id, detail)
          select order_id, acted_at, $7::text, 'courier:' || courier_id, courier_id, $8 from done
          where $7::text is not null
        )
        select order_id from done`,
    },
    [
      act.id,
      act.courierId,
      act.orderId,
      act.kind,
      toTimestamp(act.actedAt),
      toTimestamp(act.receivedAt),
      NOTE_KINDS[act.kind] ?? null,
      detail,
    ],
  );
  return rows.length > 0;
}

/** Says how many went. Several nodes may do so at once, each with rows of its own. */
export async function deleteOldActs(db: Queryable, scope: { before: Instant; limit: number }): Promise<number> {
  const rows = await db.query(
    {
      name: 'delete_old_acts',
      text: `
        delete from courier_acts where id = any(array(
          select id from courier_acts where received_at < $1 order by received_at limit $2 for update skip locked
        )) returning 1`,
    },
    [toTimestamp(scope.before), scope.limit],
  );
  return rows.length;
}
