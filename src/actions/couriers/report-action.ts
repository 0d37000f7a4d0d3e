// Records what a courier did, as reported by their page, possibly late and more than once. An act is applied once and
// in order, or refused with an explanation. A refused act may be sent again once its precondition is met.
import { whyCourierCannot } from '../../domain/orders/courier-blocked-reasons.ts';
import type { ActKind } from '../../domain/couriers/courier.ts';
import { refuse, refused, type Refusal, type Refused } from '../../domain/refusals.ts';
import type { Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { findAct, insertAct, listSteps, type CourierAct } from '../../store/couriers/actions.ts';
import type { Database, Queryable } from '../../store/database/database.ts';
import { lockOrders } from '../../store/orders/locked-orders.ts';
import { findOrderEnding } from '../../store/orders/offers.ts';
import { raiseAlarm } from '../../store/planning/alarms.ts';
import type { OrderChanger } from '../orders/change-order.ts';

export interface ReportedAct {
  id: string;
  courierId: string;
  orderId: string;
  kind: ActKind;
  /** When it happened, by the clock of the courier's device. */
  actedAt: Instant;
  /** For a problem: what it is. */
  detail: string | null;
}

export type ActResult = { kind: 'applied' } | Refused;

type Deps = Pick<Platform, 'clock'> & { db: Database; changer: OrderChanger };
type Act = ReportedAct & CourierAct;

const APPLIED: ActResult = { kind: 'applied' };

export async function reportAct(deps: Deps, report: ReportedAct): Promise<ActResult> {
  const now = deps.clock.now();
  const order = await findOrderEnding(deps.db, report.courierId, report.orderId);
  // The device's clock may be wrong: never use a time in the future, or before the courier accepted the order.
  const actedAt = Math.min(Math.max(report.actedAt, order?.acceptedAt ?? 0), now);
  const act: Act = { ...report, actedAt, receivedAt: now };
  switch (act.kind) {
    case 'picked_up':
      return changeOrder(deps, act, 'pick_up');
    case 'delivered':
      return changeOrder(deps, act, 'deliver');
    case 'arrived':
    case 'arrived_dropoff':
    case 'problem':
      return deps.db.transaction((tx) => noteAct(tx, act));
  }
}

async function changeOrder({ db, changer }: Deps, act: Act, name: 'pick_up' | 'deliver'): Promise<ActResult> {
  const { orderId, courierId } = act;
  const known = await findAnswer(db, act);
  if (known !== null) return known;
  // The command is idempotent: after a crash before the act is inserted, the next report completes it.
  const result = await changer.change({
    orderId,
    scope: { courierId },
    command: { name },
    actor: { role: 'courier', courierId },
    at: act.actedAt,
  });
  // Explained from the order as it is now: the refusal itself is about states, and orders that were never theirs.
  if (result.kind === 'refused') return refused((await findRefusal(db, act)) ?? refuse('ORDER_003'));
  await insertAct(db, act, null);
  return APPLIED;
}

async function noteAct(tx: Queryable, act: Act): Promise<ActResult> {
  // The lock keeps the order unchanged until the act is written, and lets the second of two taps find the first.
  await lockOrders(tx, [act.orderId]);
  const known = await findAnswer(tx, act);
  if (known !== null) return known;
  const refusal = await findRefusal(tx, act);
  if (refusal !== undefined) return refused(refusal);
  const isNew = await insertAct(tx, act, act.detail);
  if (isNew && act.kind === 'problem') await raiseProblem(tx, act);
  return APPLIED;
}

/** The answer that follows from the courier's earlier acts; null if there is none. */
async function findAnswer(db: Queryable, act: Act): Promise<ActResult | null> {
  const known = await findAct(db, act);
  if (known !== undefined) {
    const isSame = known.orderId === act.orderId && known.kind === act.kind;
    return isSame ? APPLIED : refused(refuse('COURIER_010'));
  }
  // A problem may be reported at any time: before steps that wait for the kitchen, and after any step.
  if (act.kind === 'problem') return null;
  const steps = await listSteps(db, act);
  // A double tap made two acts of the same step.
  if (steps.some(({ kind }) => kind === act.kind)) return APPLIED;
  const isLate = steps.some(({ actedAt }) => actedAt > act.actedAt);
  return isLate ? refused(refuse('COURIER_011')) : null;
}

/** Undefined if the order allows the act. An order that was never theirs looks unknown. */
async function findRefusal(db: Queryable, { courierId, orderId, kind }: Act): Promise<Refusal | undefined> {
  const order = await findOrderEnding(db, courierId, orderId);
  if (order === undefined) return refuse('ORDER_002');
  const reason = whyCourierCannot(order, kind);
  return reason === null ? undefined : refuse('ORDER_003', reason);
}

function raiseProblem(tx: Queryable, { orderId, courierId, detail, receivedAt }: Act): Promise<void> {
  return raiseAlarm(tx, {
    orderId,
    courierId,
    kind: 'PROBLEM_REPORTED',
    detail: detail ?? 'The courier reported a problem.',
    raisedAt: receivedAt,
  });
}
