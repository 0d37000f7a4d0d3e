// Couriers on duty as text: their last contact and their next stops.
import type { MapAnswer, MapCourier } from '../../../../src/contract/panel/planning/map.ts';
import { Badge } from '../../parts/orders/badge.tsx';
import { ZonedTime } from '../../ui/time/times.tsx';
import { ZoneContext } from '../../ui/time/zone.ts';
import { mapTexts } from '../../texts/planning/map.ts';
import { vehicleTexts } from '../../texts/operator/couriers.ts';
import { describeFreshness } from './model/courier-words.ts';
import { listZones, zoneOf, type OrderZones } from './model/order-zones.ts';
import { VehicleIcon } from './drawing/vehicle-icon.tsx';

export interface CourierListProps {
  data: MapAnswer;
  couriers: readonly MapCourier[];
  now: number;
  onChoose: (orderId: string) => void;
}

export function CourierList({ data, couriers, now, onChoose }: CourierListProps) {
  const numbers = new Map(data.orders.map(({ id, orderNumber }) => [id, orderNumber]));
  const zones = listZones(data);
  return (
    <ul className="flex flex-col">
      {couriers.map((courier) => (
        <li
          key={courier.id}
          className="flex flex-col gap-2 border-b px-4 py-3 [contain-intrinsic-size:auto_6rem] [content-visibility:auto]"
        >
          <div className="flex items-center gap-3">
            <span className="grid size-8 shrink-0 place-items-center rounded-full bg-sunken">
              <VehicleIcon vehicle={courier.vehicle} />
            </span>
            <div className="flex min-w-0 flex-1 flex-col">
              <span className="truncate font-medium">{courier.name}</span>
              <span className={courier.isDark ? 'text-sm text-danger' : 'text-sm text-ink-soft'}>
                {`${vehicleTexts[courier.vehicle]} · ${describeFreshness(courier, now)}`}
              </span>
            </div>
            <Badge tone={courier.stops.length === 0 ? 'good' : 'accent'}>
              {courier.stops.length === 0 ? mapTexts.noStops : mapTexts.stopCount(courier.stops.length)}
            </Badge>
          </div>
          {courier.stops.length > 0 && <Stops courier={courier} numbers={numbers} zones={zones} onChoose={onChoose} />}
        </li>
      ))}
    </ul>
  );
}

interface StopsProps {
  courier: MapCourier;
  numbers: ReadonlyMap<string, string>;
  zones: OrderZones;
  onChoose: (orderId: string) => void;
}

function Stops({ courier, numbers, zones, onChoose }: StopsProps) {
  return (
    <ol aria-label={mapTexts.stops(courier.name)} className="ml-4 flex flex-col border-l pl-3 text-sm">
      {courier.stops.map(({ orderId, kind, at }) => (
        <li key={`${orderId} ${kind}`}>
          <button
            type="button"
            onClick={() => onChoose(orderId)}
            className="flex min-h-7 w-full items-center justify-between gap-3 rounded-sm px-1.5 text-left hover:bg-hover"
          >
            <span>{mapTexts.stopOf(mapTexts.stop[kind], numbers.get(orderId) ?? '')}</span>
            {at !== null && (
              <span className="text-ink-soft">
                <ZoneContext value={zoneOf(zones, orderId)}>
                  <ZonedTime at={at} detail="time" />
                </ZoneContext>
              </span>
            )}
          </button>
        </li>
      ))}
    </ol>
  );
}
