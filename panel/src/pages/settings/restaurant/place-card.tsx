import { lazy, Suspense, useState } from 'react';
import type { RestaurantAnswer } from '../../../../../src/contract/panel/restaurants/restaurant.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { Skeleton } from '../../../ui/content/skeleton.tsx';
import { restaurantTexts } from '../../../texts/restaurants/restaurant.ts';
import { readCoordinates, showDegrees } from '../../../ui/forms/coordinates.ts';
import { SettingsForm } from './settings-form.tsx';
import { useOwnersOnly } from '../settings-frame.tsx';

const PlaceMap = lazy(async () => {
  const { PlaceMap: Map } = await import('../../../map/place-map.tsx');
  return { default: Map };
});

interface Typed {
  address?: string;
  latitude?: string;
  longitude?: string;
}

export function PlaceCard({ restaurant }: { restaurant: RestaurantAnswer }) {
  const [typed, setTyped] = useState<Typed>({});
  const ownersOnly = useOwnersOnly();
  const isReadOnly = ownersOnly !== null;
  const { location } = restaurant;
  const address = typed.address ?? restaurant.address ?? '';
  const latitude = typed.latitude ?? toText(location?.latitude);
  const longitude = typed.longitude ?? toText(location?.longitude);
  const place = readCoordinates(latitude, longitude);
  const isEmpty = latitude.trim() === '' && longitude.trim() === '';
  const problem = place === undefined && !isEmpty ? restaurantTexts.coordinatesProblem : undefined;
  const isMoved = latitude !== toText(location?.latitude) || longitude !== toText(location?.longitude);
  return (
    <SettingsForm
      title={restaurantTexts.place}
      description={restaurantTexts.placeText}
      isChanged={isMoved || address !== (restaurant.address ?? '')}
      problem={problem}
      request={() => ({ address: address.trim() === '' ? null : address, location: place ?? null })}
      onReset={() => setTyped({})}
    >
      <Field
        label={restaurantTexts.address}
        autoComplete="street-address"
        maxLength={300}
        readOnly={isReadOnly}
        value={address}
        onChange={(event) => setTyped({ ...typed, address: event.target.value })}
      />
      <div className="grid grid-cols-2 items-start gap-3 sm:grid-cols-[1fr_1fr_auto]">
        <Field
          label={restaurantTexts.latitude}
          inputMode="decimal"
          readOnly={isReadOnly}
          value={latitude}
          problem={problem}
          onChange={(event) => setTyped({ ...typed, latitude: event.target.value })}
        />
        <Field
          label={restaurantTexts.longitude}
          inputMode="decimal"
          readOnly={isReadOnly}
          value={longitude}
          onChange={(event) => setTyped({ ...typed, longitude: event.target.value })}
        />
        <Button
          className="sm:mt-6.5"
          disabledReason={ownersOnly ?? (isEmpty ? restaurantTexts.noPin : null)}
          onClick={() => setTyped({ ...typed, latitude: '', longitude: '' })}
        >
          {restaurantTexts.removePin}
        </Button>
      </div>
      <Suspense fallback={<Skeleton className="h-64" />}>
        <PlaceMap
          // Remounts the map when the pin is set or removed, so that it starts without the old pin.
          key={isEmpty ? 'empty' : 'set'}
          label={restaurantTexts.map}
          hint={restaurantTexts.mapHint}
          pinLabel={restaurantTexts.pin}
          place={place}
          reference={undefined}
          onMove={(to) => {
            if (isReadOnly) return;
            setTyped({ ...typed, latitude: showDegrees(to.latitude), longitude: showDegrees(to.longitude) });
          }}
        />
      </Suspense>
    </SettingsForm>
  );
}

function toText(degrees: number | undefined): string {
  return degrees === undefined ? '' : showDegrees(degrees);
}
