// The couriers who could be given an order by hand: everyone near enough, with what the planner would pay. Computed on
// request for one order, in the planning thread, which knows the travel times.
import { setTimeout as delay } from 'node:timers/promises';
import type {
  Candidate,
  CandidateRequest,
  CandidateResult,
  CandidateWarning,
  FigureGap,
} from '../domain/couriers/candidate.ts';
import { coarsen, toSquare } from '../domain/couriers/privacy.ts';
import { whyNotGiveByHand } from '../domain/orders/give-by-hand.ts';
import { isOutOfContact } from '../domain/couriers/courier.ts';
import { distanceMeters, type Place } from '../domain/geo.ts';
import { isInScope, type Scope } from '../domain/people/scope.ts';
import { refuse, refused } from '../domain/refusals.ts';
import { SECOND_MS, type Instant } from '../domain/time.ts';
import type { Platform } from '../platform.ts';
import type { Database } from '../store/database/database.ts';
import { findOrderById, type OrderView } from '../store/orders/orders.ts';
import { listCarrierIds, listCouriersToChoose, type CourierToChoose } from '../store/planning/couriers.ts';
import {
  listOrderFacts,
  listOrdersWithCouriers,
  listPlanningRestaurants,
  type LiveOrder,
  type OrderFacts,
  type PlanningRestaurant,
} from '../store/planning/orders.ts';
import { describeCourier, findMiddle } from './areas/round.ts';
import { groupIntoAreas } from './areas/areas.ts';
import { describeOrder } from './areas/describe-order.ts';
import type { CourierQuote, CourierToPlan, OrderToPlan } from './areas/plan-request.ts';
import type { PlanThreads } from './threads/plan-threads.ts';

/** Couriers beyond the nearest ones are not useful candidates, and the list must be quick. */
const MAX_NEAR = 40;
const MAX_OFF_DUTY = 20;
/** The thread may be busy with a plan. A list without figures is better than none. */
const PATIENCE_MS = 3 * SECOND_MS;

const FINISHED = refuse('ORDER_003', 'The order is finished, so no courier can be assigned');

export interface CandidateDeps extends Pick<Platform, 'clock' | 'log'> {
  db: Database;
  threads: PlanThreads;
}

export async function listCandidates(deps: CandidateDeps, request: CandidateRequest): Promise<CandidateResult> {
  const { db } = deps;
  const { scope, called } = request;
  const asked = await findOrderById(db, request.orderId);
  if (asked === undefined || !isOwn(asked, scope)) return refused(refuse('ORDER_002'));
  const { id: orderId, restaurantId } = asked;
  const now = deps.clock.now();
  const choose = (onDuty: boolean, limit: number | null) =>
    listCouriersToChoose(db, { restaurantId, onDuty, called, limit, now });
  const [[order], read, restaurants, everyoneAtWork, atHome, carriers] = await Promise.all([
    listOrdersWithCouriers(db, orderId, []),
    listOrderFacts(db, [orderId]),
    listPlanningRestaurants(db),
    choose(true, null),
    choose(false, MAX_OFF_DUTY + 1),
    listCarrierIds(db, restaurantId),
  ]);
  const [facts] = read.values;
  const isHidden = ({ id, restaurantId: employer }: Pick<CourierToChoose, 'id' | 'restaurantId'>): boolean =>
    scope !== 'everything' && employer !== restaurantId && !carriers.has(id);
  const atWork = everyoneAtWork.map((courier) => (isHidden(courier) ? hidePlaces(courier) : courier));
  const town = describeTown(restaurants, restaurantId);
  const restaurant = town.restaurants.get(restaurantId);
  if (order === undefined || facts === undefined || restaurant === undefined) return refused(FINISHED);

  const described = describeOrder(setFree(order), facts, { restaurant, now });
  const pickup = facts.pickup ?? restaurant.place;
  const near = chooseNearest(atWork, { order, pickup, town });
  const shown = [...near, ...atHome.slice(0, MAX_OFF_DUTY)];
  const load = await readLoad(db, { orderId, couriers: shown, town, now, scope, restaurantId });
  const wanted = described.kind === 'plannable' ? { ...described.order, ...OPEN_TO_ALL } : null;
  const quotes = wanted && (await askForQuotes(deps, { wanted, load, near, town, now }));
  const context: Context = { now, order, facts, pickup, load, quotes, dueAt: wanted?.dueAt ?? now };
  const list = {
    // Sorted by figures computed from the rounded places: sorting by exact ones would reveal them.
    couriers: shown
      .map((courier) => ({ candidate: describeCandidate(courier, context), isRough: isHidden(courier) }))
      .toSorted((one, other) => compareCandidates(one.candidate, other.candidate))
      .map(({ candidate, isRough }) => (isRough ? coarsen(candidate, now) : candidate)),
    isCut: near.length < atWork.length || atHome.length > MAX_OFF_DUTY,
    gap: described.kind === 'waiting' ? toGap(described.reason) : quotes === null ? 'NO_ANSWER' : null,
  };
  return { kind: 'listed', list };
}

function isOwn({ restaurantId, courier }: OrderView, scope: Scope): boolean {
  return isInScope(scope, { restaurantId, courierId: courier?.id ?? null });
}

function hidePlaces(courier: CourierToChoose): CourierToChoose {
  const { place, home } = courier;
  return { ...courier, place: place && toSquare(place), home: home && toSquare(home) };
}

/** Quotes are for the order as if it were unassigned, regardless of who has it or what was planned. */
function setFree(order: LiveOrder): LiveOrder {
  return { ...order, courierId: null, offeredAt: null, acceptedAt: null };
}

/** People may override the rules that the planner keeps; they see a warning for each rule that they would break. */
const OPEN_TO_ALL = { planned: null, lockedTo: null, refusedBy: [], vehicles: [] } satisfies Partial<OrderToPlan>;

function toGap(reason: string): FigureGap {
  return reason === 'NO_DROPOFF_LOCATION' || reason === 'NO_PICKUP_LOCATION' ? reason : 'NOT_YET';
}

interface Town {
  areaId: string;
  restaurants: ReadonlyMap<string, PlanningRestaurant>;
  middle: Place;
}

function describeTown(restaurants: readonly PlanningRestaurant[], restaurantId: string): Town {
  const areas = groupIntoAreas(restaurants);
  const areaId = areas.get(restaurantId) ?? restaurantId;
  return {
    areaId,
    restaurants: new Map(restaurants.map((restaurant) => [restaurant.id, restaurant])),
    middle: findMiddle(restaurants.filter(({ id }) => areas.get(id) === areaId)),
  };
}

function chooseNearest(
  couriers: readonly CourierToChoose[],
  { order, pickup, town }: { order: LiveOrder; pickup: Place | null; town: Town },
): CourierToChoose[] {
  if (couriers.length <= MAX_NEAR) return [...couriers];
  const concerned = new Set([order.courierId, order.planned?.courierId, order.lockedTo]);
  const farness = new Map(
    couriers.map((courier) => {
      const { place } = describeCourier(courier, town.restaurants, town.middle);
      return [courier.id, concerned.has(courier.id) ? -1 : distanceMeters(place, pickup ?? town.middle)];
    }),
  );
  return couriers
    .toSorted((one, other) => (farness.get(one.id) ?? 0) - (farness.get(other.id) ?? 0))
    .slice(0, MAX_NEAR);
}

interface Load {
  /** The orders that the couriers have or are planned for, without the order itself. */
  orders: readonly LiveOrder[];
  facts: ReadonlyMap<string, OrderFacts>;
  toPlan: readonly OrderToPlan[];
}

async function readLoad(
  db: Database,
  asked: {
    orderId: string;
    /** The restaurant of the order. */
    restaurantId: string;
    scope: Scope;
    couriers: readonly CourierToChoose[];
    town: Town;
    now: Instant;
  },
): Promise<Load> {
  const { orderId, restaurantId, scope, couriers, town, now } = asked;
  const found = await listOrdersWithCouriers(
    db,
    orderId,
    couriers.map(({ id }) => id),
  );
  const orders = found.filter(({ id }) => id !== orderId);
  const { values } = await listOrderFacts(
    db,
    orders.map(({ id }) => id),
  );
  const facts = new Map(values.map((fact) => [fact.id, fact]));
  const toPlan = orders.flatMap((order) => {
    const fact = facts.get(order.id);
    const restaurant = town.restaurants.get(order.restaurantId);
    if (fact === undefined || restaurant === undefined) return [];
    const described = describeOrder(order, fact, { restaurant, now });
    if (described.kind !== 'plannable') return [];
    // A courier's stops for other restaurants would reveal where the courier is and where those customers live.
    const isForeign = scope !== 'everything' && order.restaurantId !== restaurantId;
    const { pickup, dropoff } = described.order;
    return [isForeign ? { ...described.order, pickup: toSquare(pickup), dropoff: toSquare(dropoff) } : described.order];
  });
  return { orders, facts, toPlan };
}

async function askForQuotes(
  { threads, log }: CandidateDeps,
  asked: { wanted: OrderToPlan; load: Load; near: readonly CourierToChoose[]; town: Town; now: Instant },
): Promise<ReadonlyMap<string, CourierQuote> | null> {
  const { wanted, load, near, town, now } = asked;
  const couriers = near.map((courier): CourierToPlan => describeCourier(courier, town.restaurants, town.middle));
  const request = { now, orderId: wanted.id, orders: [...load.toPlan, wanted], couriers };
  const patience = new AbortController();
  try {
    const quotes = await Promise.race([
      threads.quote(town.areaId, request),
      delay(PATIENCE_MS, null, { signal: patience.signal }).catch(() => null),
    ]);
    return quotes && new Map(quotes.map((quote) => [quote.courierId, quote]));
  } catch (error) {
    log.warn({ event: 'planner.quote_failed', orderId: wanted.id, reason: String(error) });
    return null;
  } finally {
    patience.abort();
  }
}

interface Context {
  now: Instant;
  order: LiveOrder;
  facts: OrderFacts;
  pickup: Place | null;
  load: Load;
  quotes: ReadonlyMap<string, CourierQuote> | null;
  dueAt: Instant;
}

function describeCandidate(courier: CourierToChoose, context: Context): Candidate {
  const { now, order, pickup, load, dueAt } = context;
  const bar = whyNotGiveByHand(
    { ...order, courierOfferedAt: order.offeredAt, courierAcceptedAt: order.acceptedAt },
    courier,
    now,
  );
  const quote = context.quotes?.get(courier.id);
  const held = load.orders.filter(({ courierId }) => courierId === courier.id);
  const carried = held.filter(({ state }) => state === 'ON_DELIVERY').length;
  const place = courier.onDuty ? (courier.place ?? courier.home) : null;
  return {
    id: courier.id,
    name: courier.name,
    isOwn: courier.restaurantId !== null,
    onDuty: courier.onDuty,
    vehicle: courier.vehicle,
    bags: held.reduce((sum, { id }) => sum + (load.facts.get(id)?.bags ?? 1), 0),
    capacity: courier.capacity,
    promised: held.length - carried,
    carried,
    distanceMeters: place === null || pickup === null ? null : Math.round(distanceMeters(place, pickup)),
    figures:
      quote === undefined
        ? null
        : {
            pickupAt: quote.pickupAt,
            dropoffAt: quote.dropoffAt,
            lateSeconds: Math.max(0, Math.round((quote.dropoffAt - dueAt) / SECOND_MS)),
            detourSeconds: quote.detourSeconds,
            pushesBackSeconds: quote.pushesBackSeconds,
            extraCost: quote.extraCost,
          },
    rough: null,
    warnings: courier.onDuty ? listWarnings(courier, context, quote) : [],
    bar: bar === 'HAS_IT' || bar === 'OFF_DUTY' ? bar : null,
  };
}

function listWarnings(courier: CourierToChoose, context: Context, quote: CourierQuote | undefined): CandidateWarning[] {
  const { now, order, facts, quotes } = context;
  const warnings: CandidateWarning[] = [];
  if (isOutOfContact(courier, now)) warnings.push('NOT_HEARD_OF');
  if (quotes !== null && quote === undefined) warnings.push('NO_ROOM');
  if (quote !== undefined && quote.misfit !== null) warnings.push(quote.misfit);
  if (facts.vehicles.length > 0 && !facts.vehicles.includes(courier.vehicle)) warnings.push('OTHER_VEHICLE');
  if (order.refusedBy.includes(courier.id)) warnings.push('DECLINED');
  return warnings;
}

/** Couriers whom the planner could use come first, then by price; couriers who are off duty last. */
function compareCandidates(one: Candidate, other: Candidate): number {
  const rank = ({ onDuty, figures, warnings }: Candidate): number => {
    if (!onDuty) return 3;
    if (figures === null) return 2;
    return warnings.length > 0 ? 1 : 0;
  };
  const price = ({ figures, promised, carried }: Candidate): number => figures?.extraCost ?? promised + carried;
  return rank(one) - rank(other) || price(one) - price(other) || one.name.localeCompare(other.name);
}
