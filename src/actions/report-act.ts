// What a courier did, told by their page, perhaps long afterwards and perhaps twice. An act is applied once and in
// order, or refused with an explanation; a refused one may be sent again when what it waits for has happened.
import type { ActKind } from '../domain/courier.ts';
import { REFUSALS } from '../domain/refusals.ts';
import type { Instant } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import { findAct, findLastActTime, insertAct, type CourierAct } from '../store/courier-acts.ts';
import type { Database, Queryable } from '../store/database.ts';
import { findOrderEnding, isWithCourier } from '../store/offers.ts';
import { raiseAlarm } from '../store/planning-alarms.ts';
import type { ChangeResult, OrderChanger } from './change-order.ts';

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

const COMMANDS = { picked_up: 'pick_up', delivered: 'deliver' } as const;

export async function reportAct(deps: Deps, report: ReportedAct): Promise<ActResult> {
  const { db } = deps;
  const known = await findAct(db, report.id);
  if (known !== undefined) return answerKnown(known, report);
  const now = deps.clock.now();
  // A device whose clock is ahead does not act in the future.
  const actedAt = Math.min(report.actedAt, now);
  const lastAt = await findLastActTime(db, report.orderId);
  if (lastAt !== undefined && actedAt < lastAt) return no('Something that happened later was reported before.');
  const act: CourierAct = { ...report, actedAt, receivedAt: now };
  if (report.kind === 'picked_up' || report.kind === 'delivered') {
    // A repeated command changes nothing, so a crash before the next line is made good by the next report.
    const result = await deps.changer.change({
      orderId: report.orderId,
      command: { name: COMMANDS[report.kind] },
      actor: { role: 'courier', courierId: report.courierId },
      at: actedAt,
    });
    if (result.kind === 'refused') return no(explain(result));
    await insertAct(db, act, null);
    return { kind: 'applied' };
  }
  if (!(await isWithCourier(db, report.orderId, report.courierId))) return no(await explainGone(db, report));
  await db.transaction(async (tx) => {
    const isNew = await insertAct(tx, act, report.detail);
    if (isNew && report.kind === 'problem') await raiseProblem(tx, report, now);
  });
  return { kind: 'applied' };
}

function raiseProblem(tx: Parameters<typeof raiseAlarm>[0], report: ReportedAct, now: Instant): Promise<void> {
  const { orderId, courierId } = report;
  const detail = report.detail ?? 'The courier reported a problem.';
  return raiseAlarm(tx, { orderId, courierId, kind: 'PROBLEM_REPORTED', detail, raisedAt: now });
}

function answerKnown(known: { courierId: string; orderId: string; kind: ActKind }, report: ReportedAct): ActResult {
  const isSame = known.courierId === report.courierId && known.orderId === report.orderId && known.kind === report.kind;
  return isSame ? { kind: 'applied' } : no('Another act was reported with this id.');
}

async function explainGone(db: Queryable, { courierId, orderId }: ReportedAct): Promise<string> {
  const ending = await findOrderEnding(db, courierId, orderId);
  if (ending?.state === 'CANCELED') return 'The order was canceled.';
  return 'The order is not with you any more.';
}

function explain({ refusal }: Extract<ChangeResult, { kind: 'refused' }>): string {
  return `${refusal.message ?? REFUSALS[refusal.code].message}.`;
}

function no(explanation: string): ActResult {
  return { kind: 'refused', explanation };
}
