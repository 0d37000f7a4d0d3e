import { Field } from '../../../ui/forms/field.tsx';
import { restaurantsTexts } from '../../../texts/operator/restaurants.ts';
import { readCoordinates, type Coordinates } from '../../../ui/forms/coordinates.ts';

/** Null if both are empty, undefined if invalid. */
export function readPlace(latitude: string, longitude: string): Coordinates | null | undefined {
  return latitude.trim() === '' && longitude.trim() === '' ? null : readCoordinates(latitude, longitude);
}

export interface PlaceFieldsProps {
  hint: string;
  latitude: string;
  longitude: string;
  onChange: (part: { latitude: string } | { longitude: string }) => void;
}

export function PlaceFields({ hint, latitude, longitude, onChange }: PlaceFieldsProps) {
  const isWrong = readPlace(latitude, longitude) === undefined;
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <Field
        label={restaurantsTexts.latitude}
        inputMode="decimal"
        value={latitude}
        hint={hint}
        problem={isWrong ? restaurantsTexts.placeWrong : undefined}
        onChange={(event) => onChange({ latitude: event.target.value })}
      />
      <Field
        label={restaurantsTexts.longitude}
        inputMode="decimal"
        value={longitude}
        onChange={(event) => onChange({ longitude: event.target.value })}
      />
    </div>
  );
}
