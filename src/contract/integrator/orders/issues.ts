// Problems with a valid order. It is accepted, but someone should look at it.
import type { OrderRequest } from './schema.ts';

export const ISSUE_CODES = ['DROPOFF_NOT_ROUTABLE', 'DROPOFF_FAR_FROM_PICKUP'] as const;

export interface OrderIssue {
  code: (typeof ISSUE_CODES)[number];
  field: string;
  message: string;
}

export interface Location {
  latitude: number;
  longitude: number;
}

type PlacesOfOrder = Pick<OrderRequest, 'pickup' | 'dropoff'>;

/** Where the planner may send a courier; undefined if that is unknown. */
export function routableDropoff(order: PlacesOfOrder): Location | undefined {
  const location = order.dropoff?.location;
  return location === undefined || isUnset(location) ? undefined : location;
}

export function findIssues(order: PlacesOfOrder): OrderIssue[] {
  const dropoff = routableDropoff(order);
  if (dropoff === undefined) return [notRoutable(order)];
  const pickup = order.pickup?.location;
  if (pickup === undefined || isUnset(pickup) || isNear(pickup, dropoff)) return [];
  const isSwapped = isNear(pickup, { latitude: dropoff.longitude, longitude: dropoff.latitude });
  return [
    {
      code: 'DROPOFF_FAR_FROM_PICKUP',
      field: 'dropoff.location',
      message: isSwapped
        ? `The drop-off is more than ${FAR_KILOMETERS} km from the pickup. Latitude and longitude look swapped`
        : `The drop-off is more than ${FAR_KILOMETERS} km from the pickup`,
    },
  ];
}

function notRoutable(order: PlacesOfOrder): OrderIssue {
  const message =
    order.dropoff?.location === undefined
      ? 'The drop-off has no coordinates. Add them to have the order planned, or assign a courier by hand'
      : 'Latitude 0, longitude 0 is in the ocean. Fix the coordinates to have the order planned, or assign a courier by hand';
  return { code: 'DROPOFF_NOT_ROUTABLE', field: 'dropoff.location', message };
}

// Systems send 0, 0 when the field was never filled in. It is in the ocean.
function isUnset({ latitude, longitude }: Location): boolean {
  return latitude === 0 && longitude === 0;
}

const FAR_KILOMETERS = 150;
const KILOMETERS_PER_DEGREE = 111.2;

// Accurate enough to distinguish a city from another continent.
function isNear(a: Location, b: Location): boolean {
  const north = a.latitude - b.latitude;
  const turn = Math.abs(a.longitude - b.longitude);
  const east = Math.min(turn, 360 - turn) * Math.cos((a.latitude * Math.PI) / 180);
  return Math.hypot(north, east) * KILOMETERS_PER_DEGREE <= FAR_KILOMETERS;
}
