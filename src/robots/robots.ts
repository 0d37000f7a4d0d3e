// Advances live orders through their states, with the same commands that people use. Several nodes may do so
// concurrently: the order's lock decides, and the later command is refused, which is expected and not reported.
import type { ChangeRequest, OrderChanger } from '../actions/orders/change-order.ts';
import { runEach } from '../actions/upkeep/set-aside.ts';
import { testScript, type TestScript } from '../contract/integrator/orders/test-script.ts';
import { isJsonObject, type JsonValue } from '../domain/canonical-json.ts';
import { POSITION_INTERVAL_MS } from '../domain/couriers/courier.ts';
import { describeError, type SetAside, type Trouble } from '../domain/upkeep/set-aside.ts';
import type { Instant } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import type { Database } from '../store/database/database.ts';
import { savePosition } from '../store/couriers/positions.ts';
import { listRobotCouriers } from '../store/robots/couriers.ts';
import { listCouriersOnDuty, listLiveOrders, type CourierLoad, type LiveOrder } from '../store/robots/orders.ts';
import { everyMs, type Worker } from '../runtime/supervisor.ts';
import { nextAct, type Act, type RobotOrder } from './next-action.ts';

export interface RobotDeps extends Pick<Platform, 'clock' | 'log'> {
  db: Database;
  changer: OrderChanger;
  setAside: SetAside;
}

export interface RobotScope {
  /** Null: all restaurants. */
  restaurantIds: readonly string[] | null;
  /** Whether the `test` field of orders is applied. */
  hasScripts: boolean;
  /** Whether the planner chooses the couriers. The robots then leave that to it and only report their positions. */
  hasPlanner: boolean;
}

const ROUND_INTERVAL_MS = 250;
const MAX_ORDERS_PER_ROUND = 2_000;

export function createRobots(deps: RobotDeps, scope: RobotScope): Worker {
  return everyMs('robots', ROUND_INTERVAL_MS, { log: deps.log, round: () => playRound(deps, scope) });
}

/** Reports the robot couriers' positions, as the couriers' pages do. */
export function createRobotWalks(deps: RobotDeps, scope: Pick<RobotScope, 'restaurantIds'>): Worker {
  return everyMs('robot walks', POSITION_INTERVAL_MS, { log: deps.log, round: () => walk(deps, scope) });
}

async function walk(deps: RobotDeps, scope: Pick<RobotScope, 'restaurantIds'>): Promise<void> {
  const reportedAt = deps.clock.now();
  for (const courier of await listRobotCouriers(deps.db, scope.restaurantIds)) {
    const from = courier.place;
    const to = courier.target ?? from;
    // Each step covers half of the remaining distance, so a robot starts fast and needs no route.
    await savePosition(deps.db, {
      courierId: courier.id,
      latitude: (from.latitude + to.latitude) / 2,
      longitude: (from.longitude + to.longitude) / 2,
      reportedAt,
    });
  }
}

/** Performs the due actions; returns how many orders it changed. */
async function playRound(deps: RobotDeps, scope: RobotScope): Promise<number> {
  const { values: live, troubles } = await listLiveOrders(deps.db, { ...scope, limit: MAX_ORDERS_PER_ROUND });
  const now = deps.clock.now();
  const due = live.flatMap((entry) => {
    const act = nextActOf(entry, now);
    const isForPlanner = scope.hasPlanner && act?.actor.role === 'planner';
    return act !== null && act.dueAt <= now && !isForPlanner && !entry.isWithPerson ? [{ entry, act }] : [];
  });
  const isCourierNeeded = due.some(({ act }) => act.kind === 'find_courier');
  const couriers = isCourierNeeded ? await listCouriersOnDuty(deps.db) : [];
  const commands = due.flatMap(({ entry, act }) => toCommand(entry, act, couriers));
  const { done, failed } = await runEach(commands, (request) => deps.changer.change(request));
  const refused = failed.map(({ item, error }): Trouble => {
    return { kind: 'order', id: item.orderId, reason: describeError(error) };
  });
  await deps.setAside.report('robots', [...troubles, ...refused]);
  return done.filter((result) => result.kind === 'changed').length;
}

function nextActOf(entry: LiveOrder, now: Instant): Act | null {
  const subject: RobotOrder = {
    order: entry.order,
    isRoutable: !entry.issues.some(isNotRoutable),
    declines: entry.declinedBy.length,
    lastDeclinedAt: entry.lastDeclinedAt,
    script: readScript(entry.script),
  };
  return nextAct(subject, now);
}

function isNotRoutable(issue: JsonValue): boolean {
  return isJsonObject(issue) && issue['code'] === 'DROPOFF_NOT_ROUTABLE';
}

// The script was validated when the order came in. One that is no longer valid was stored by another version.
function readScript(value: JsonValue | undefined): TestScript {
  const reading = testScript.safeParse(value ?? {});
  return reading.success ? reading.data : {};
}

function toCommand(entry: LiveOrder, act: Act, couriers: CourierLoad[]): ChangeRequest[] {
  const orderId = entry.order.id;
  if (act.kind === 'command') return [{ orderId, scope: 'everything', command: act.command, actor: act.actor }];
  const courier = chooseCourier(entry, couriers);
  // No courier is on duty: the order waits, and the System cancels it when the restaurant's limit is reached.
  if (courier === undefined) return [];
  courier.openOrders += 1;
  const command = { name: act.name, courierId: courier.id };
  return [{ orderId, scope: 'everything', command, actor: act.actor }];
}

/** The courier with the fewest open orders; one who has declined the order only if there is no other. */
function chooseCourier(entry: LiveOrder, couriers: readonly CourierLoad[]): CourierLoad | undefined {
  const candidates = couriers.filter(
    ({ restaurantId }) => restaurantId === null || restaurantId === entry.restaurantId,
  );
  const fresh = candidates.filter(({ id }) => !entry.declinedBy.includes(id));
  const [first, ...others] = fresh.length > 0 ? fresh : candidates;
  return others.reduce((best, next) => (best !== undefined && next.openOrders < best.openOrders ? next : best), first);
}
