// A courier's profile while it is being edited. Pure.
import type { CourierEntry, CourierProfileRequest } from '../../../../../src/contract/panel/operator/couriers.ts';
import { DEFAULT_CAPACITY, MAX_CAPACITY, type Vehicle } from '../../../../../src/domain/couriers/courier.ts';
import { readCoordinates } from '../../../ui/forms/coordinates.ts';

export interface CourierDraft {
  name: string;
  phone: string;
  vehicle: Vehicle;
  capacity: string;
  pay: string;
  latitude: string;
  longitude: string;
  /** The integrator's id; empty for the pool. */
  restaurantId: string;
}

export function draftOf(courier: CourierEntry | null): CourierDraft {
  return {
    name: courier?.name ?? '',
    phone: courier?.phone ?? '',
    vehicle: courier?.vehicle ?? 'BICYCLE',
    capacity: String(courier?.capacity ?? DEFAULT_CAPACITY),
    pay: courier?.payPerOrder?.toString() ?? '',
    latitude: courier?.location?.latitude.toString() ?? '',
    longitude: courier?.location?.longitude.toString() ?? '',
    restaurantId: courier?.restaurant?.restaurantId ?? '',
  };
}

export type DraftMistake = 'capacity' | 'pay' | 'place';

/** Returns the first mistake, or the request to send. */
export function readDraft(draft: CourierDraft): { mistake: DraftMistake } | { profile: CourierProfileRequest } {
  const capacity = readWhole(draft.capacity);
  if (capacity === undefined || capacity < 1 || capacity > MAX_CAPACITY) return { mistake: 'capacity' };
  const payPerOrder = draft.pay.trim() === '' ? null : readWhole(draft.pay);
  if (payPerOrder === undefined) return { mistake: 'pay' };
  const isAnywhere = draft.latitude.trim() === '' && draft.longitude.trim() === '';
  const location = isAnywhere ? null : readCoordinates(draft.latitude, draft.longitude);
  if (location === undefined) return { mistake: 'place' };
  const { name, vehicle } = draft;
  const phone = draft.phone.trim() === '' ? null : draft.phone;
  const restaurantId = draft.restaurantId === '' ? null : draft.restaurantId;
  return { profile: { name, phone, vehicle, capacity, payPerOrder, location, restaurantId } };
}

function readWhole(text: string): number | undefined {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text.trim()) : undefined;
}
