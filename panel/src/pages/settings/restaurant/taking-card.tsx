import { useState } from 'react';
import type { RestaurantAnswer } from '../../../../../src/contract/panel/restaurants/restaurant.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { restaurantTexts } from '../../../texts/restaurants/restaurant.ts';
import { SettingsForm } from './settings-form.tsx';
import { useOwnersOnly } from '../settings-frame.tsx';

const MAX_MINUTES = 7 * 24 * 60;
/** Initial value when the limit is turned on. */
const USUAL_LIMIT = '15';

interface Typed {
  autoApprove: boolean;
  preparation: string;
  courierWait: string;
  /** Null: off. */
  approvalLimit: string | null;
}

function toTyped(restaurant: RestaurantAnswer): Typed {
  const { autoApprove, preparationMinutes, courierWaitLimitMinutes, approvalLimitMinutes } = restaurant;
  return {
    autoApprove,
    preparation: String(preparationMinutes),
    courierWait: String(courierWaitLimitMinutes),
    approvalLimit: approvalLimitMinutes === null ? null : String(approvalLimitMinutes),
  };
}

function findProblem(text: string | null, least: number): string | undefined {
  if (text === null) return undefined;
  const isWhole = /^\d{1,5}$/.test(text.trim());
  const minutes = Number(text);
  return isWhole && minutes >= least && minutes <= MAX_MINUTES ? undefined : restaurantTexts.minutesProblem(least);
}

export function TakingCard({ restaurant }: { restaurant: RestaurantAnswer }) {
  const saved = toTyped(restaurant);
  const [typed, setTyped] = useState<Typed | null>(null);
  const ownersOnly = useOwnersOnly();
  const form = typed ?? saved;
  const set = (change: Partial<Typed>): void => setTyped({ ...form, ...change });
  const problems = {
    preparation: findProblem(form.preparation, 0),
    courierWait: findProblem(form.courierWait, 1),
    approvalLimit: findProblem(form.approvalLimit, 1),
  };
  const minutesField = {
    type: 'number',
    inputMode: 'numeric',
    min: 0,
    max: MAX_MINUTES,
    readOnly: ownersOnly !== null,
    frameClassName: 'sm:max-w-xs',
  } as const;
  return (
    <SettingsForm
      title={restaurantTexts.taking}
      isChanged={JSON.stringify(form) !== JSON.stringify(saved)}
      problem={problems.preparation ?? problems.courierWait ?? problems.approvalLimit}
      request={() => ({
        autoApprove: form.autoApprove,
        preparationMinutes: Number(form.preparation),
        courierWaitLimitMinutes: Number(form.courierWait),
        approvalLimitMinutes: form.approvalLimit === null ? null : Number(form.approvalLimit),
      })}
      onReset={() => setTyped(null)}
    >
      <Switch
        label={restaurantTexts.autoApprove}
        hint={restaurantTexts.autoApproveHint}
        isOn={form.autoApprove}
        disabledReason={ownersOnly}
        onChange={(autoApprove) => set({ autoApprove })}
      />
      <div className="grid gap-5 border-t pt-5 sm:grid-cols-2">
        <Field
          {...minutesField}
          label={restaurantTexts.preparation}
          hint={restaurantTexts.preparationHint}
          value={form.preparation}
          problem={problems.preparation}
          onChange={(event) => set({ preparation: event.target.value })}
        />
        <Field
          {...minutesField}
          label={restaurantTexts.courierWait}
          hint={restaurantTexts.courierWaitHint}
          value={form.courierWait}
          problem={problems.courierWait}
          onChange={(event) => set({ courierWait: event.target.value })}
        />
      </div>
      <div className="flex flex-col gap-4 border-t pt-5">
        <Switch
          label={restaurantTexts.approvalLimit}
          hint={restaurantTexts.approvalLimitHint}
          isOn={form.approvalLimit !== null}
          disabledReason={ownersOnly}
          onChange={(isOn) => set({ approvalLimit: isOn ? USUAL_LIMIT : null })}
        />
        {form.approvalLimit !== null && (
          <Field
            {...minutesField}
            label={restaurantTexts.approvalMinutes}
            value={form.approvalLimit}
            problem={problems.approvalLimit}
            onChange={(event) => set({ approvalLimit: event.target.value })}
          />
        )}
      </div>
    </SettingsForm>
  );
}
