import type { MapCourier, MapOrder } from '../../../../../src/contract/panel/planning/map.ts';
import { formatRelative } from '../../../ui/time/time-words.ts';
import { mapTexts } from '../../../texts/planning/map.ts';

/** Describes the age of a courier's position. */
export function describeFreshness({ position, isDark }: Pick<MapCourier, 'position' | 'isDark'>, now: number): string {
  if (position === null) return isDark ? mapTexts.noContact : mapTexts.noPosition;
  if (position.reportedAt === null) return mapTexts.unreported;
  const age = formatRelative(Math.min(Date.parse(position.reportedAt), now), now);
  return isDark ? mapTexts.noContactSince(age) : mapTexts.lastSeen(age);
}

/** "Ada, accepted"; "A courier, planned" for a pool courier that the restaurant does not know yet */
export function describeHolder(courier: MapOrder['courier']): string {
  if (courier === null) return mapTexts.noCourier;
  return `${courier.name ?? mapTexts.unknownCourier}, ${mapTexts.standing[courier.standing]}`;
}
