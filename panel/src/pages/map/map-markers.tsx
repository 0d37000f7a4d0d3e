// What stands on the live map with a name: restaurants, couriers, the stops of the chosen route.
import type { Map as Maplibre } from 'maplibre-gl';
import { Store } from 'lucide-react';
import type { MapAnswer, MapCourier } from '../../../../src/contract/panel/map.ts';
import { classes } from '../../components/class-names.ts';
import { MapMarker } from '../../components/map-marker.tsx';
import { MapPin } from '../../components/map-pin.tsx';
import { formatZoned } from '../../components/time-words.ts';
import { useRestaurantZone } from '../../components/zone.ts';
import { mapTexts } from '../../texts/map.ts';
import { vehicleTexts } from '../../texts/operator-couriers.ts';
import { describeFreshness } from './courier-words.ts';
import { LEVELS } from './levels.ts';
import { VehicleIcon } from './vehicle-icon.tsx';

export function RestaurantMarkers({ map, restaurants }: { map: Maplibre; restaurants: MapAnswer['restaurants'] }) {
  return restaurants.flatMap(({ id, name, place }) =>
    place === null ? (
      []
    ) : (
      <MapMarker key={id} map={map} place={place} anchor="bottom" level={LEVELS.restaurant}>
        <MapPin label={name} icon={<Store />} color="text-ink" />
      </MapMarker>
    ),
  );
}

export interface CourierMarkerProps {
  map: Maplibre;
  courier: MapCourier;
  now: number;
  isFaint: boolean;
  onChoose: (orderId: string) => void;
}

export function CourierMarker({ map, courier, now, isFaint, onChoose }: CourierMarkerProps) {
  const { name, vehicle, position, isDark, stops } = courier;
  if (position === null) return null;
  const freshness = describeFreshness(courier, now);
  const [next] = stops;
  return (
    <MapMarker map={map} place={position} level={LEVELS.courier}>
      <div role="img" aria-label={`${name}, ${vehicleTexts[vehicle]}. ${freshness}`}>
        <div
          aria-hidden
          title={`${name}. ${freshness}`}
          onClick={() => next !== undefined && onChoose(next.orderId)}
          className={classes(
            'flex items-center gap-1 rounded-full border-2 bg-raised p-1 text-xs font-medium text-ink shadow-float @2xl:pr-2.5 @2xl:pl-1.5',
            next !== undefined && 'cursor-pointer',
            isDark ? 'border-dashed border-danger' : stops.length > 0 ? 'border-accent' : 'border-line-strong',
            isFaint && 'opacity-60',
          )}
        >
          <span className="grid size-5 place-items-center rounded-full bg-ink text-on-ink">
            <VehicleIcon vehicle={vehicle} className="size-3.5" />
          </span>
          <span className="hidden max-w-28 truncate @2xl:inline">{name}</span>
        </div>
      </div>
    </MapMarker>
  );
}

/** The stops on the way to the end of the chosen order, with their numbers and the time of the first at each place. */
export function StopMarkers({ map, courier, chosenId }: { map: Maplibre; courier: MapCourier; chosenId: string }) {
  const zone = useRestaurantZone();
  const last = courier.stops.findLastIndex(({ orderId }) => orderId === chosenId);
  const numbered = courier.stops.slice(0, last + 1).map((stop, index) => ({ ...stop, number: index + 1 }));
  const byPlace = Map.groupBy(numbered, ({ latitude, longitude }) => `${latitude} ${longitude}`);
  return [...byPlace].map(([key, stops]) => {
    const [first] = stops;
    if (first === undefined) return null;
    return (
      <MapMarker key={key} map={map} place={first} anchor="top" level={LEVELS.stop}>
        <span
          aria-hidden
          className="tabular mt-2.5 flex items-center gap-1 rounded-full bg-ink py-0.5 pr-2 pl-0.5 text-2xs font-medium text-on-ink shadow-float"
        >
          {stops.map(({ number }) => (
            <span key={number} className="grid size-4 place-items-center rounded-full bg-on-ink text-ink">
              {number}
            </span>
          ))}
          {first.at === null ? mapTexts.stop[first.kind] : formatZoned(Date.parse(first.at), zone, 'time')}
        </span>
      </MapMarker>
    );
  });
}
