import { useMemo, useState } from 'react';
import { toApiError } from '../../../api/api-error.ts';
import { useAddRestaurant } from '../../../api/operator/restaurants.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { listZones } from '../../../ui/forms/zone-options.ts';
import { browserZone } from '../../../ui/time/zone.ts';
import { restaurantsTexts } from '../../../texts/operator/restaurants.ts';
import { PlaceFields, readPlace } from './place-fields.tsx';

const DEFAULT_RATE_LIMIT = 300;

interface Draft {
  restaurantId: string;
  name: string;
  timeZone: string;
  contactEmail: string;
  latitude: string;
  longitude: string;
  autoApprove: boolean;
}

export function AddRestaurantDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>(makeDraft);
  const zones = useMemo(() => listZones(makeDraft().timeZone), []);
  const add = useAddRestaurant();
  const problem = add.isError ? toApiError(add.error) : undefined;
  const location = readPlace(draft.latitude, draft.longitude);
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const submit = (): void => {
    if (location === undefined) return;
    const { restaurantId, name, timeZone, autoApprove } = draft;
    const contactEmail = draft.contactEmail.trim() === '' ? null : draft.contactEmail;
    add.mutate(
      { restaurantId, name, timeZone, autoApprove, contactEmail, location, rateLimitPerMinute: DEFAULT_RATE_LIMIT },
      {
        onSuccess: () => {
          showToast(restaurantsTexts.added(name));
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title={restaurantsTexts.addTitle}
      description={restaurantsTexts.addText}
      submitLabel={restaurantsTexts.add}
      isBusy={add.isPending}
      disabledReason={location === undefined ? restaurantsTexts.placeWrong : null}
      problem={problem?.details.length === 0 ? problem.message : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={restaurantsTexts.name}
        required
        autoFocus
        maxLength={200}
        value={draft.name}
        problem={problem?.problemOf('name')}
        onChange={(event) => change({ name: event.target.value })}
      />
      <Field
        label={restaurantsTexts.restaurantId}
        hint={restaurantsTexts.restaurantIdHint}
        required
        maxLength={64}
        spellCheck={false}
        className="font-mono"
        value={draft.restaurantId}
        problem={problem?.problemOf('restaurantId')}
        onChange={(event) => change({ restaurantId: event.target.value })}
      />
      <Select
        label={restaurantsTexts.timeZone}
        options={zones}
        value={draft.timeZone}
        problem={problem?.problemOf('timeZone')}
        onChange={(timeZone) => change({ timeZone })}
      />
      <PlaceFields
        hint={restaurantsTexts.placeHint}
        latitude={draft.latitude}
        longitude={draft.longitude}
        onChange={change}
      />
      <Field
        label={restaurantsTexts.contactEmail}
        hint={restaurantsTexts.contactEmailHint}
        type="email"
        value={draft.contactEmail}
        problem={problem?.problemOf('contactEmail')}
        onChange={(event) => change({ contactEmail: event.target.value })}
      />
      <Switch
        label={restaurantsTexts.autoApprove}
        hint={restaurantsTexts.autoApproveHint}
        isOn={draft.autoApprove}
        onChange={(autoApprove) => change({ autoApprove })}
      />
    </FormDialog>
  );
}

function makeDraft(): Draft {
  return {
    restaurantId: '',
    name: '',
    timeZone: browserZone(),
    contactEmail: '',
    latitude: '',
    longitude: '',
    autoApprove: false,
  };
}
