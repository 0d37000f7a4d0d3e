// What a planning thread receives about an area, with defaults for everything that a test does not specify.
import type { AreaQuestion } from '../../src/planning/areas/updates.ts';
import type { KnownOrder } from '../../src/planning/areas/describe-order.ts';
import type { CourierAtWork } from '../../src/store/planning/couriers.ts';
import type { LiveOrder, OrderFacts, PlanningRestaurant } from '../../src/store/planning/orders.ts';
import { KITCHEN, NOW } from './plan-request.ts';

export const RESTAURANT: PlanningRestaurant = { id: 'r', place: KITCHEN, preparationMinutes: 20 };

export const liveOrderOf = (id: string, more: Partial<LiveOrder> = {}): LiveOrder => ({
  id,
  restaurantId: RESTAURANT.id,
  state: 'VALIDATED',
  courierId: null,
  offeredAt: null,
  acceptedAt: null,
  kitchenReadyAt: null,
  deadlineAt: null,
  revision: '1',
  planRevision: '1',
  refusedBy: [],
  lockedTo: null,
  planned: null,
  ...more,
});

export const orderFactsOf = (id: string, more: Partial<OrderFacts> = {}): OrderFacts => ({
  id,
  approvedAt: NOW,
  wantedAt: null,
  prepMinutes: 10,
  readyAt: null,
  windowStart: null,
  windowEnd: null,
  maxDeliveryMinutes: null,
  pickup: null,
  dropoff: { latitude: 41.01, longitude: 29 },
  bags: 1,
  vehicles: [],
  canCombine: true,
  ...more,
});

export const knownOrderOf = (
  id: string,
  { facts, ...more }: Partial<LiveOrder> & { facts?: Partial<OrderFacts> } = {},
): KnownOrder => ({ order: liveOrderOf(id, more), facts: orderFactsOf(id, facts) });

export const courierAtWorkOf = (id: string, more: Partial<CourierAtWork> = {}): CourierAtWork => ({
  id,
  restaurantId: null,
  vehicle: 'BICYCLE',
  capacity: 4,
  home: null,
  shiftEndsAt: null,
  place: KITCHEN,
  reportedAt: NOW,
  ...more,
});

/** No changes, except those given. */
export const questionOf = (more: Partial<AreaQuestion> = {}): AreaQuestion => ({
  restaurants: null,
  orders: [],
  gone: [],
  couriers: null,
  now: NOW,
  isReplanWanted: false,
  stuckOrderIds: [],
  ...more,
});
