import { useState } from 'react';
import type { CourierEntry } from '../../../../../src/contract/panel/operator/couriers.ts';
import { VEHICLES } from '../../../../../src/domain/couriers/courier.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useSaveCourier } from '../../../api/operator/couriers.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { commonTexts } from '../../../texts/everywhere.ts';
import { restaurantsTexts } from '../../../texts/operator/restaurants.ts';
import { couriersTexts, vehicleTexts } from '../../../texts/operator/couriers.ts';
import { draftOf, readDraft, type CourierDraft, type DraftMistake } from './courier-draft.ts';
import { PlaceFields } from '../restaurants/place-fields.tsx';
import { RestaurantSelect } from '../restaurant-select.tsx';

const VEHICLE_OPTIONS = VEHICLES.map((value) => ({ value, label: vehicleTexts[value] }));
const MISTAKES: Record<DraftMistake, string> = {
  capacity: couriersTexts.capacityWrong,
  pay: couriersTexts.payWrong,
  place: restaurantsTexts.placeWrong,
};

/** Creates or edits a courier. */
export function CourierDialog({ courier, onClose }: { courier: CourierEntry | null; onClose: () => void }) {
  const [draft, setDraft] = useState(() => draftOf(courier));
  const save = useSaveCourier(courier?.id ?? null);
  const reading = readDraft(draft);
  const mistake = 'mistake' in reading ? reading.mistake : undefined;
  const problem = save.isError ? toApiError(save.error) : undefined;
  const submit = (): void => {
    if (!('profile' in reading)) return;
    save.mutate(reading.profile, {
      onSuccess: () => {
        showToast(couriersTexts.saved);
        onClose();
      },
    });
  };
  return (
    <FormDialog
      title={courier === null ? couriersTexts.addTitle : couriersTexts.editTitle}
      submitLabel={commonTexts.save}
      isBusy={save.isPending}
      disabledReason={mistake === undefined ? null : MISTAKES[mistake]}
      problem={problem?.message}
      onSubmit={submit}
      onClose={onClose}
    >
      <CourierFields draft={draft} mistake={mistake} onChange={(part) => setDraft({ ...draft, ...part })} />
      <RestaurantSelect
        noneLabel={couriersTexts.pool}
        by="restaurantId"
        value={draft.restaurantId}
        current={
          courier?.restaurant ? { value: courier.restaurant.restaurantId, label: courier.restaurant.name } : undefined
        }
        problem={problem?.problemOf('restaurantId')}
        onChange={(restaurantId) => setDraft({ ...draft, restaurantId })}
      />
    </FormDialog>
  );
}

interface CourierFieldsProps {
  draft: CourierDraft;
  mistake: DraftMistake | undefined;
  onChange: (part: Partial<CourierDraft>) => void;
}

function CourierFields({ draft, mistake, onChange }: CourierFieldsProps) {
  return (
    <>
      <Field
        label={couriersTexts.name}
        required
        autoFocus
        maxLength={100}
        value={draft.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <Field
        label={couriersTexts.phone}
        type="tel"
        maxLength={40}
        value={draft.phone}
        onChange={(event) => onChange({ phone: event.target.value })}
      />
      <Select
        label={couriersTexts.vehicle}
        options={VEHICLE_OPTIONS}
        value={draft.vehicle}
        onChange={(vehicle) => onChange({ vehicle })}
      />
      <Field
        label={couriersTexts.capacity}
        hint={couriersTexts.capacityHint}
        inputMode="numeric"
        value={draft.capacity}
        problem={mistake === 'capacity' ? couriersTexts.capacityWrong : undefined}
        onChange={(event) => onChange({ capacity: event.target.value })}
      />
      <Field
        label={couriersTexts.pay}
        hint={couriersTexts.payHint}
        inputMode="numeric"
        value={draft.pay}
        problem={mistake === 'pay' ? couriersTexts.payWrong : undefined}
        onChange={(event) => onChange({ pay: event.target.value })}
      />
      <PlaceFields
        hint={couriersTexts.waitsAt}
        latitude={draft.latitude}
        longitude={draft.longitude}
        onChange={onChange}
      />
    </>
  );
}
