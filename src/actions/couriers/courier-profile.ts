// Validates a courier's profile, for adding and changing.
import { MAX_CAPACITY } from '../../domain/couriers/courier.ts';
import type { Courier } from '../../store/couriers/couriers.ts';
import { findPlaceMistake, isLabel } from '../restaurants/restaurant-settings.ts';

export type CourierProfile = Pick<
  Courier,
  'name' | 'phone' | 'vehicle' | 'capacity' | 'payPerOrder' | 'latitude' | 'longitude'
>;

const MAX_PAY = 100_000_000;

/** Describes the first mistake in one sentence; undefined if there is none. */
export function findCourierMistake(profile: CourierProfile): string | undefined {
  const { name, phone, capacity, payPerOrder } = profile;
  if (!isLabel(name, 100)) return 'The name must be 1 to 100 characters without control characters.';
  if (phone !== null && !isLabel(phone, 40))
    return 'The phone number must be 1 to 40 characters without control characters.';
  if (!isWhole(capacity, 1, MAX_CAPACITY))
    return `The capacity must be a whole number of bags from 1 to ${MAX_CAPACITY}.`;
  if (payPerOrder !== null && !isWhole(payPerOrder, 0, MAX_PAY)) {
    return `The pay per order must be a whole number of minor units from 0 to ${MAX_PAY}.`;
  }
  return findPlaceMistake(profile.latitude, profile.longitude);
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
