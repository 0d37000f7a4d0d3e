import type { MapCourier, MapOrder } from '../../../../../src/contract/panel/planning/map.ts';
import { formatRelative } from '../../../ui/time/time-words.ts';
import { mapTexts } from '../../../texts/planning/map.ts';

/** How old what is known of a courier's place is. */
export function describeFreshness({ position, isDark }: Pick<MapCourier, 'position' | 'isDark'>, now: number): string {
  if (position === null) return isDark ? mapTexts.silent : mapTexts.noPosition;
  if (position.reportedAt === null) return mapTexts.unreported;
  const age = formatRelative(Math.min(Date.parse(position.reportedAt), now), now);
  return isDark ? mapTexts.dark(age) : mapTexts.heard(age);
}

/** "Ada, accepted"; of a pool courier whom the restaurant does not know yet, "A courier, planned" */
export function describeHolder(courier: MapOrder['courier']): string {
  if (courier === null) return mapTexts.noCourier;
  return `${courier.name ?? mapTexts.unknownCourier}, ${mapTexts.standing[courier.standing]}`;
}
