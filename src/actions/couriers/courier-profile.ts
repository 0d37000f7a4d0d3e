// Validates a courier's profile, for adding and changing.
import { MAX_CAPACITY } from '../../domain/couriers/courier.ts';
import type { FieldProblem } from '../../domain/refusals.ts';
import type { Courier } from '../../store/couriers/couriers.ts';
import { describeLabel, findPlaceMistake, isLabel } from '../restaurants/restaurant-settings.ts';

export type CourierProfile = Pick<
  Courier,
  'name' | 'phone' | 'vehicle' | 'capacity' | 'payPerOrder' | 'latitude' | 'longitude'
>;

const MAX_PAY = 100_000_000;

/** The first mistake; undefined if there is none. */
export function findCourierMistake(profile: CourierProfile): FieldProblem | undefined {
  const { name, phone, capacity, payPerOrder } = profile;
  if (!isLabel(name, 100)) return { field: 'name', message: describeLabel(100) };
  if (phone !== null && !isLabel(phone, 40)) return { field: 'phone', message: describeLabel(40) };
  if (!isWhole(capacity, 1, MAX_CAPACITY)) {
    return { field: 'capacity', message: `Must be a whole number of bags from 1 to ${MAX_CAPACITY}` };
  }
  if (payPerOrder !== null && !isWhole(payPerOrder, 0, MAX_PAY)) {
    return { field: 'payPerOrder', message: `Must be a whole number of minor units from 0 to ${MAX_PAY}` };
  }
  return findPlaceMistake(profile.latitude, profile.longitude);
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
