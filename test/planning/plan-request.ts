// Orders and couriers for planner requests, with defaults for everything that a test does not specify.
import type { CourierToPlan, OrderToPlan } from '../../src/planning/areas/plan-request.ts';

export const NOW = Date.parse('2026-03-01T12:00:00Z');
export const MINUTE_MS = 60_000;
export const KITCHEN = { latitude: 41, longitude: 29 };

export const orderOf = (id: string, more: Partial<OrderToPlan> = {}): OrderToPlan => ({
  id,
  restaurantId: 'r',
  pickup: KITCHEN,
  dropoff: { latitude: 41.01, longitude: 29 },
  readyAt: NOW,
  dropoffFrom: null,
  dueAt: NOW + 30 * MINUTE_MS,
  bags: 1,
  vehicles: [],
  canCombine: true,
  heldBy: null,
  isCarried: false,
  announcedTo: null,
  refusedBy: [],
  lockedTo: null,
  planned: null,
  ...more,
});

export const courierOf = (id: string, more: Partial<CourierToPlan> = {}): CourierToPlan => ({
  id,
  restaurantId: null,
  vehicle: 'BICYCLE',
  capacity: 4,
  place: KITCHEN,
  shiftEndsAt: null,
  takesMore: true,
  ...more,
});
