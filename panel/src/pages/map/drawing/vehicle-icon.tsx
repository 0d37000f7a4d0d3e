import { Bike, Car, Footprints, Motorbike } from 'lucide-react';
import type { Vehicle } from '../../../../../src/domain/couriers/courier.ts';

const ICONS = { FOOT: Footprints, BICYCLE: Bike, MOTORCYCLE: Motorbike, CAR: Car } as const satisfies Record<
  Vehicle,
  unknown
>;

export function VehicleIcon({ vehicle, className }: { vehicle: Vehicle; className?: string }) {
  const Icon = ICONS[vehicle];
  return <Icon aria-hidden className={className ?? 'size-4'} />;
}
