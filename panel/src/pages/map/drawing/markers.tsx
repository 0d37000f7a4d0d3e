// The live map's labeled markers: restaurants, couriers, the stops of the selected route.
import type { Map as Maplibre } from 'maplibre-gl';
import { Store } from 'lucide-react';
import type { MapCourier } from '../../../../../src/contract/panel/planning/map.ts';
import { classes } from '../../../ui/class-names.ts';
import { MapMarker } from '../../../map/marker.tsx';
import { MapPin } from '../../../map/pin.tsx';
import { vehicleTexts } from '../../../texts/operator/couriers.ts';
import { describeFreshness } from '../model/courier-words.ts';
import type { LabelLayout, Side } from './label-layout.ts';
import { LEVELS } from './layers.ts';
import type { RouteStop } from '../model/route-stops.ts';
import type { MapHome } from './use-label-layout.ts';
import { VehicleIcon } from './vehicle-icon.tsx';

export interface HomeMarkersProps {
  map: Maplibre;
  homes: readonly MapHome[];
  sides: LabelLayout['pins'];
}

export function HomeMarkers({ map, homes, sides }: HomeMarkersProps) {
  return homes.map(({ id, name, place }) => (
    <MapMarker key={id} map={map} place={place} anchor="bottom" level={LEVELS.restaurant}>
      <MapPin label={name} side={sides.get(id) ?? 'none'} icon={<Store />} color="text-ink" />
    </MapMarker>
  ));
}

export interface CourierMarkerProps {
  map: Maplibre;
  courier: MapCourier;
  /** Its horizontal offset, and the side where its name fits. */
  layout: { shiftPx: number; side: Side | undefined } | undefined;
  now: number;
  isFaint: boolean;
  onChoose: (orderId: string) => void;
}

export function CourierMarker({ map, courier, layout, now, isFaint, onChoose }: CourierMarkerProps) {
  const { name, vehicle, position, isDark, stops } = courier;
  if (position === null) return null;
  const freshness = describeFreshness(courier, now);
  const [next] = stops;
  const side = layout?.side;
  return (
    <MapMarker map={map} place={position} level={LEVELS.courier} shiftPx={layout?.shiftPx ?? 0}>
      <div role="img" aria-label={`${name}, ${vehicleTexts[vehicle]}. ${freshness}`} className="relative size-8">
        <div
          aria-hidden
          title={`${name}. ${freshness}`}
          onClick={() => next !== undefined && onChoose(next.orderId)}
          className={classes(
            'absolute inset-y-0 flex items-center gap-1 rounded-full border-2 bg-raised p-1 text-xs font-medium text-ink shadow-float',
            side === 'left' ? 'right-0 flex-row-reverse pl-2.5' : 'left-0',
            side === 'right' && 'pr-2.5',
            next !== undefined && 'cursor-pointer',
            isDark ? 'border-danger' : stops.length > 0 ? 'border-accent' : 'border-line-strong',
            (isDark || position.reportedAt === null) && 'border-dashed',
            isFaint && 'opacity-60',
          )}
        >
          <span className="grid size-5 shrink-0 place-items-center rounded-full bg-ink text-on-ink">
            <VehicleIcon vehicle={vehicle} className="size-3.5" />
          </span>
          {side !== undefined && <span className="max-w-28 truncate">{name}</span>}
        </div>
      </div>
    </MapMarker>
  );
}

/** Shows the stop numbers and the time of the first stop at each place. */
export function StopMarkers({ map, stops }: { map: Maplibre; stops: readonly RouteStop[] }) {
  return stops.map(({ key, place, numbers, text }) => (
    <MapMarker key={key} map={map} place={place} anchor="top" level={LEVELS.stop}>
      <span
        aria-hidden
        className="tabular mt-2.5 flex items-center gap-1 rounded-full bg-ink py-0.5 pr-2 pl-0.5 text-2xs font-medium text-on-ink shadow-float"
      >
        {numbers.map((number) => (
          <span key={number} className="grid size-4 place-items-center rounded-full bg-on-ink text-ink">
            {number}
          </span>
        ))}
        {text}
      </span>
    </MapMarker>
  ));
}
