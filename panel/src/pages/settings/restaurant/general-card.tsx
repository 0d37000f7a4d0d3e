import { useMemo, useState } from 'react';
import type { RestaurantAnswer } from '../../../../../src/contract/panel/restaurants/restaurant.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { listZones } from '../../../ui/forms/zone-options.ts';
import { restaurantTexts } from '../../../texts/restaurants/restaurant.ts';
import { SettingsForm } from './settings-form.tsx';
import { useOwnersOnly } from '../settings-frame.tsx';

interface Typed {
  name?: string;
  timeZone?: string;
  contactEmail?: string;
  phone?: string;
}

export function GeneralCard({ restaurant }: { restaurant: RestaurantAnswer }) {
  const [typed, setTyped] = useState<Typed>({});
  const isReadOnly = useOwnersOnly() !== null;
  const name = typed.name ?? restaurant.name;
  const timeZone = typed.timeZone ?? restaurant.timeZone;
  const contactEmail = typed.contactEmail ?? restaurant.contactEmail ?? '';
  const phone = typed.phone ?? restaurant.phone ?? '';
  const zones = useMemo(() => listZones(restaurant.timeZone), [restaurant.timeZone]);
  const isChanged =
    name !== restaurant.name ||
    timeZone !== restaurant.timeZone ||
    contactEmail !== (restaurant.contactEmail ?? '') ||
    phone !== (restaurant.phone ?? '');
  return (
    <SettingsForm
      title={restaurantTexts.general}
      isChanged={isChanged}
      request={() => ({ name, timeZone, contactEmail: orNull(contactEmail), phone: orNull(phone) })}
      onReset={() => setTyped({})}
    >
      <Field
        label={restaurantTexts.name}
        autoComplete="organization"
        required
        maxLength={200}
        readOnly={isReadOnly}
        value={name}
        onChange={(event) => setTyped({ ...typed, name: event.target.value })}
      />
      <Select
        label={restaurantTexts.timeZone}
        hint={restaurantTexts.timeZoneHint}
        options={isReadOnly ? zones.filter(({ value }) => value === timeZone) : zones}
        value={timeZone}
        onChange={(chosen) => setTyped({ ...typed, timeZone: chosen })}
      />
      <Field
        label={restaurantTexts.contactEmail}
        hint={restaurantTexts.contactEmailHint}
        type="email"
        autoComplete="email"
        readOnly={isReadOnly}
        value={contactEmail}
        onChange={(event) => setTyped({ ...typed, contactEmail: event.target.value })}
      />
      <Field
        label={restaurantTexts.phone}
        hint={restaurantTexts.phoneHint}
        type="tel"
        autoComplete="tel"
        maxLength={40}
        readOnly={isReadOnly}
        value={phone}
        onChange={(event) => setTyped({ ...typed, phone: event.target.value })}
      />
    </SettingsForm>
  );
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text;
}
