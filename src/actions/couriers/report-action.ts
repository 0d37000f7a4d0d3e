// What a courier did, told by their page, perhaps long afterwards and perhaps twice. An act is applied once and in
// order, or refused with an explanation; a refused one may be sent again when what it waits for has happened.
import { whyCourierCannot } from '../../domain/orders/courier-blocked-reasons.ts';
import type { ActKind } from '../../domain/couriers/courier.ts';
import { REFUSALS } from '../../domain/refusals.ts';
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
  /** When it happened, by the courier's device. */
  actedAt: Instant;
  /** For a problem: what it is. */
  detail: string | null;
}

export type ActResult = { kind: 'applied' } | { kind: 'refused'; explanation: string };

type Deps = Pick<Platform, 'clock'> & { db: Database; changer: OrderChanger };
type Act = ReportedAct & CourierAct;

const APPLIED: ActResult = { kind: 'applied' };

export async function reportAct(deps: Deps, report: ReportedAct): Promise<ActResult> {
  const now = deps.clock.now();
  const order = await findOrderEnding(deps.db, report.courierId, report.orderId);
  // A device whose clock is wrong acts neither in the future nor before it had the order.
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
  // A repeated command changes nothing, so a crash before the next line is made good by the next report.
  const result = await changer.change({
    orderId,
    command: { name },
    actor: { role: 'courier', courierId },
    at: act.actedAt,
  });
  // Said by what the order is now: the refusal itself speaks of states, and of orders that were never theirs.
  if (result.kind === 'refused') return no((await explain(db, act)) ?? REFUSALS.ORDER_003.message);
  await insertAct(db, act, null);
  return APPLIED;
}

async function noteAct(tx: Queryable, act: Act): Promise<ActResult> {
  // What the order is stays so until the act is written, and of two touches the second finds the first.
  await lockOrders(tx, [act.orderId]);
  const known = await findAnswer(tx, act);
  if (known !== null) return known;
  const explanation = await explain(tx, act);
  if (explanation !== null) return no(explanation);
  const isNew = await insertAct(tx, act, act.detail);
  if (isNew && act.kind === 'problem') await raiseProblem(tx, act);
  return APPLIED;
}

/** What earlier acts of this courier say about it; null when they say nothing. */
async function findAnswer(db: Queryable, act: Act): Promise<ActResult | null> {
  const known = await findAct(db, act);
  if (known !== undefined) {
    const isSame = known.orderId === act.orderId && known.kind === act.kind;
    return isSame ? APPLIED : no('Another act was reported with this id');
  }
  // A problem is told at once, before steps that wait for the kitchen, and after any of them.
  if (act.kind === 'problem') return null;
  const steps = await listSteps(db, act);
  // Touched twice, the button made two acts of the one step.
  if (steps.some(({ kind }) => kind === act.kind)) return APPLIED;
  const isLate = steps.some(({ actedAt }) => actedAt > act.actedAt);
  return isLate ? no('Something that happened later was reported before') : null;
}

/** Null: the order allows it. One that was never theirs looks like none at all. */
async function explain(db: Queryable, { courierId, orderId, kind }: Act): Promise<string | null> {
  const order = await findOrderEnding(db, courierId, orderId);
  return order === undefined ? REFUSALS.ORDER_002.message : whyCourierCannot(order, kind);
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

function no(reason: string): ActResult {
  return { kind: 'refused', explanation: `${reason}.` };
}
