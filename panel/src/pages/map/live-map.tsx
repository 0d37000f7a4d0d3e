// The map with current routes, orders, couriers and restaurants.
import { LngLatBounds, type Map as Maplibre } from 'maplibre-gl';
import { Scan } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import type { MapAnswer, MapOrder } from '../../../../src/contract/panel/planning/map.ts';
import type { Place } from '../../../../src/domain/geo.ts';
import { MINUTE_MS } from '../../../../src/domain/time.ts';
import { Button } from '../../ui/button.tsx';
import { MapCanvas } from '../../map/canvas.tsx';
import { useNow } from '../../ui/time/now.ts';
import { mapTexts } from '../../texts/planning/map.ts';
import { drawLegs, placesOf, placesOfOrder } from './model/legs.ts';
import { CourierMarker, HomeMarkers, StopMarkers } from './drawing/markers.tsx';
import { listLabels, OrderLabels } from './drawing/order-labels.tsx';
import { listZones } from './model/order-zones.ts';
import { RouteLines } from './drawing/route-lines.tsx';
import { listStops } from './model/route-stops.ts';
import { isWide, useLabelLayout } from './drawing/use-label-layout.ts';

export interface LiveMapProps {
  data: MapAnswer;
  chosen: MapOrder | undefined;
  now: number;
  onChoose: (orderId: string) => void;
}

export function LiveMap({ data, chosen, now, onChoose }: LiveMapProps) {
  const places = useMemo(() => placesOf(data), [data]);
  const home = data.restaurants.find(({ id }) => id === chosen?.restaurantId) ?? singleOf(data.restaurants);
  const ringsAround = home?.place ?? undefined;
  return (
    <MapCanvas
      label={mapTexts.label}
      near={ringsAround ?? places[0]}
      ringsAround={ringsAround}
      className="h-full"
      fallback={
        <p className="grid h-full place-items-center bg-sunken p-6 text-center text-ink-soft">{mapTexts.failed}</p>
      }
    >
      {(map) => <Drawing map={map} data={data} chosen={chosen} now={now} places={places} onChoose={onChoose} />}
    </MapCanvas>
  );
}

function singleOf<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}

interface DrawingProps extends LiveMapProps {
  map: Maplibre;
  places: readonly Place[];
}

function Drawing({ map, data, chosen, now, places, onChoose }: DrawingProps) {
  const chosenId = chosen?.id;
  // Lines are updated every minute, texts every second.
  const minute = useNow(MINUTE_MS);
  const legs = useMemo(() => drawLegs(data, chosenId, minute), [data, chosenId, minute]);
  const carrier = data.couriers.find(({ stops }) => stops.some(({ orderId }) => orderId === chosenId));
  const zones = useMemo(() => listZones(data), [data]);
  const stops = carrier === undefined || chosenId === undefined ? [] : listStops(carrier, chosenId, zones);
  const labels = listLabels(data.orders, { chosenId, now, isWide: isWide(map) });
  const layout = useLabelLayout(map, { ...data, labels, stops });
  useFirstView(map, places);
  useChosenView(map, data, chosen);
  return (
    <>
      <RouteLines map={map} legs={legs} orders={data.orders} chosenId={chosenId} onChoose={onChoose} />
      <HomeMarkers map={map} homes={layout.homes} sides={layout.pins} />
      <OrderLabels map={map} labels={labels} sides={layout.orders} chosenId={chosenId} onChoose={onChoose} />
      {data.couriers.map((courier) => (
        <CourierMarker
          key={courier.id}
          map={map}
          courier={courier}
          layout={layout.couriers.get(courier.id)}
          now={now}
          isFaint={carrier !== undefined && carrier !== courier}
          onChoose={onChoose}
        />
      ))}
      <StopMarkers map={map} stops={stops} />
      <div className="absolute top-2.5 left-2.5">
        <Button size="small" icon={<Scan aria-hidden className="size-4" />} onClick={() => show(map, places)}>
          <span className="sr-only @md:not-sr-only">{mapTexts.showAll}</span>
        </Button>
      </div>
    </>
  );
}

const NEAREST_ZOOM = 15.5;
/** Room for pins above their places and labels beside them. */
const PADDING = { top: 72, bottom: 64, left: 56, right: 96 } as const;

function show(map: Maplibre, places: readonly Place[]): void {
  const bounds = new LngLatBounds();
  for (const { latitude, longitude } of places) bounds.extend([longitude, latitude]);
  if (!bounds.isEmpty()) map.fitBounds(bounds, { padding: PADDING, maxZoom: NEAREST_ZOOM, duration: 400 });
}

/** Shows everything initially; after that, the user controls the view. */
function useFirstView(map: Maplibre, places: readonly Place[]): void {
  const hasShown = useRef(false);
  useEffect(() => {
    if (hasShown.current || places.length === 0) return;
    hasShown.current = true;
    show(map, places);
  }, [map, places]);
}

/** Shows the selected order with its route, once per selection, so that the user can then move the map. */
function useChosenView(map: Maplibre, data: MapAnswer, chosen: MapOrder | undefined): void {
  const shownId = useRef<string>(undefined);
  useEffect(() => {
    if (chosen !== undefined && chosen.id !== shownId.current) show(map, placesOfOrder(data, chosen));
    shownId.current = chosen?.id;
  }, [map, data, chosen]);
}
