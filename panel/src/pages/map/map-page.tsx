// The live map for restaurants and operators: the map beside a list with the same content as text.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bike, MapPinned, SearchX } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, type ReactNode } from 'react';
import type { MapAnswer, MapOrder } from '../../../../src/contract/panel/planning/map.ts';
import { useLiveMap } from '../../api/planning/map.ts';
import { Badge } from '../../parts/orders/badge.tsx';
import { EmptyState } from '../../ui/content/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { useNow } from '../../ui/time/now.ts';
import { SearchInput } from '../../ui/forms/search-input.tsx';
import { Skeleton, SkeletonRows } from '../../ui/content/skeleton.tsx';
import { Tabs } from '../../ui/content/tabs.tsx';
import { ZoneContext } from '../../ui/time/zone.ts';
import { commonTexts } from '../../texts/everywhere.ts';
import { mapTexts } from '../../texts/planning/map.ts';
import { ChosenOrder } from './chosen-order.tsx';
import { CourierList } from './courier-list.tsx';
import { LiveMap } from './live-map.tsx';
import { findOrders, sortByLateness } from './model/orders.ts';
import { OrderList } from './order-list.tsx';
import { listZones, zoneOf } from './model/order-zones.ts';

const NOW_STEP_MS = 5_000;

export function MapPage() {
  return <LiveMapScreen isOperator={false} />;
}

export function OperatorMapPage() {
  return <LiveMapScreen isOperator />;
}

function LiveMapScreen({ isOperator }: { isOperator: boolean }) {
  const { data, error, refetch } = useLiveMap(isOperator);
  const now = useNow(NOW_STEP_MS);
  const { place, change } = usePlace();
  const choose = useCallback((order: string) => change({ order }), [change]);
  useEffect(() => {
    document.title = `${mapTexts.title} · ${commonTexts.product}`;
  }, []);
  const chosen = data?.orders.find(({ id }) => id === place.order);
  useReturnToList(chosen?.id);
  const hasFailed = data === undefined && error !== null;
  return (
    <Frame
      header={
        <>
          <h1 className="text-xl font-semibold tracking-tight">{mapTexts.title}</h1>
          {isOperator && <Badge>{mapTexts.operatorDescription}</Badge>}
        </>
      }
      map={
        data === undefined ? (
          !hasFailed && <Skeleton className="h-full rounded-none" />
        ) : (
          <LiveMap data={data} chosen={chosen} now={now} onChoose={choose} />
        )
      }
    >
      {hasFailed && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && !hasFailed && <SkeletonRows count={8} />}
      {data !== undefined && chosen === undefined && (
        <Lists data={data} isOperator={isOperator} now={now} place={place} onChange={change} onChoose={choose} />
      )}
      {data !== undefined && chosen !== undefined && (
        <ZoneContext value={zoneOf(listZones(data), chosen.id)}>
          <ChosenOrder
            key={chosen.id}
            order={chosen}
            restaurantName={isOperator ? nameOfRestaurant(data, chosen) : undefined}
            now={now}
            onClose={() => change({ order: undefined })}
          />
        </ZoneContext>
      )}
    </Frame>
  );
}

function nameOfRestaurant({ restaurants }: MapAnswer, { restaurantId }: MapOrder): string {
  return restaurants.find(({ id }) => id === restaurantId)?.name ?? '';
}

/** Closing an order returns the focus to its place in the list. */
function useReturnToList(chosenId: string | undefined): void {
  const last = useRef<string>(undefined);
  useEffect(() => {
    if (chosenId === undefined) document.querySelector<HTMLElement>(`[data-order="${last.current}"]`)?.focus();
    last.current = chosenId;
  }, [chosenId]);
}

interface PlaceOnPage {
  order?: string | undefined;
  show?: string | undefined;
  q?: string | undefined;
}

/** Keeps the selection and the search in the URL, so that links open the same view. */
function usePlace(): { place: PlaceOnPage; change: (next: PlaceOnPage) => void } {
  const place: PlaceOnPage = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (next: PlaceOnPage) => void navigate({ to: '.', search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  );
  return { place, change };
}

/** Side by side on wide screens; on phones, the list is a sheet below the map. */
function Frame({ header, map, children }: { header: ReactNode; map: ReactNode; children: ReactNode }) {
  return (
    <div data-fills className="flex min-h-0 flex-1 flex-col lg:flex-row">
      <div className="h-[42dvh] shrink-0 lg:order-last lg:h-auto lg:min-w-0 lg:flex-1">{map}</div>
      <div className="flex min-h-0 flex-1 flex-col border-t bg-canvas lg:w-96 lg:flex-none lg:border-t-0 lg:border-r">
        <header className="flex items-center gap-3 px-4 pt-4 pb-3 lg:pt-6">{header}</header>
        <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
      </div>
    </div>
  );
}

interface ListsProps {
  data: MapAnswer;
  isOperator: boolean;
  now: number;
  place: PlaceOnPage;
  onChange: (next: PlaceOnPage) => void;
  onChoose: (orderId: string) => void;
}

function Lists({ data, isOperator, now, place, onChange, onChoose }: ListsProps) {
  const { q = '', show } = place;
  const orders = useMemo(() => sortByLateness(findOrders(data, q), now), [data, q, now]);
  const zones = useMemo(() => listZones(data), [data]);
  const couriers = data.couriers.filter(({ name }) => name.toLowerCase().includes(q.trim().toLowerCase()));
  const names = isOperator ? new Map(data.restaurants.map(({ id, name }) => [id, name])) : undefined;
  const noCouriers = isOperator ? mapTexts.noCouriersHintOperator : mapTexts.noCouriersHint;
  return (
    <div className="flex flex-col gap-3">
      <SearchInput
        label={mapTexts.search}
        placeholder={isOperator ? mapTexts.searchHintOperator : mapTexts.searchHint}
        value={q}
        onChange={(text) => onChange({ q: text === '' ? undefined : text })}
        className="mx-4"
      />
      {data.total > data.orders.length && (
        <p className="px-4 text-sm text-ink-soft">{mapTexts.cut(data.orders.length, data.total)}</p>
      )}
      <div className="[&_[role=tablist]]:mx-4">
        <Tabs
          label={mapTexts.kinds}
          value={show === 'couriers' ? 'couriers' : 'orders'}
          onChange={(value) => onChange({ show: value === 'orders' ? undefined : value })}
          tabs={[
            {
              value: 'orders',
              label: mapTexts.orders(orders.length),
              content:
                orders.length === 0 ? (
                  <Nothing
                    isSought={q !== ''}
                    icon={<MapPinned />}
                    title={mapTexts.noOrders}
                    hint={mapTexts.noOrdersHint}
                  />
                ) : (
                  <OrderList orders={orders} restaurantNames={names} zones={zones} now={now} onChoose={onChoose} />
                ),
            },
            {
              value: 'couriers',
              label: mapTexts.couriers(couriers.length),
              content:
                couriers.length === 0 ? (
                  <Nothing isSought={q !== ''} icon={<Bike />} title={mapTexts.noCouriers} hint={noCouriers} />
                ) : (
                  <>
                    <CourierList data={data} couriers={couriers} now={now} onChoose={onChoose} />
                    {!isOperator && <p className="px-4 py-3 text-sm text-ink-faint">{mapTexts.poolHint}</p>}
                  </>
                ),
            },
          ]}
        />
      </div>
    </div>
  );
}

function Nothing({ isSought, icon, title, hint }: { isSought: boolean; icon: ReactNode; title: string; hint: string }) {
  return (
    <EmptyState icon={isSought ? <SearchX /> : icon} title={isSought ? mapTexts.nothingFound : title}>
      {isSought ? mapTexts.nothingFoundHint : hint}
    </EmptyState>
  );
}
