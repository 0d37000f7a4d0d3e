import { useState } from 'react';
import type { RestaurantEntry } from '../../../../../src/contract/panel/operator/restaurants.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useSignInAs } from '../../../api/operator/overview.ts';
import { useChangeRestaurantOf } from '../../../api/operator/restaurants.ts';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { commonTexts } from '../../../texts/everywhere.ts';
import { operatorTexts } from '../../../texts/operator/overview.ts';
import { restaurantsTexts } from '../../../texts/operator/restaurants.ts';

export interface RestaurantAct {
  kind: 'signIn' | 'rateLimit' | 'switch';
  restaurant: RestaurantEntry;
}

export function RestaurantDialog({ act, onClose }: { act: RestaurantAct; onClose: () => void }) {
  const { kind, restaurant } = act;
  if (kind === 'signIn') return <SignInDialog restaurant={restaurant} onClose={onClose} />;
  if (kind === 'switch') return <SwitchDialog restaurant={restaurant} onClose={onClose} />;
  return <RateLimitDialog restaurant={restaurant} onClose={onClose} />;
}

interface PartProps {
  restaurant: RestaurantEntry;
  onClose: () => void;
}

function SignInDialog({ restaurant, onClose }: PartProps) {
  const signInAs = useSignInAs();
  return (
    <ConfirmDialog
      title={restaurantsTexts.signInTitle(restaurant.name)}
      consequence={restaurantsTexts.signInText}
      confirmLabel={operatorTexts.signInAs}
      isOpen
      isBusy={signInAs.isPending}
      problem={signInAs.isError ? toApiError(signInAs.error).message : undefined}
      onConfirm={() => signInAs.mutate({ restaurantId: restaurant.id })}
      onClose={onClose}
    />
  );
}

function SwitchDialog({ restaurant, onClose }: PartProps) {
  const change = useChangeRestaurantOf(restaurant.id);
  const { name, integrationEnabled: isOn } = restaurant;
  const confirm = (): void => change.mutate({ integrationEnabled: !isOn }, { onSuccess: () => finish(onClose) });
  return (
    <ConfirmDialog
      title={isOn ? restaurantsTexts.disableTitle(name) : restaurantsTexts.enableTitle(name)}
      consequence={isOn ? restaurantsTexts.disableText : restaurantsTexts.enableText}
      confirmLabel={isOn ? restaurantsTexts.disable : restaurantsTexts.enable}
      isDangerous={isOn}
      isOpen
      isBusy={change.isPending}
      problem={change.isError ? toApiError(change.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

function RateLimitDialog({ restaurant, onClose }: PartProps) {
  const [text, setText] = useState(String(restaurant.rateLimitPerMinute));
  const change = useChangeRestaurantOf(restaurant.id);
  const problem = change.isError ? toApiError(change.error) : undefined;
  const fieldProblem = problem?.problemOf('rateLimitPerMinute');
  const confirm = (): void => change.mutate({ rateLimitPerMinute: Number(text) }, { onSuccess: () => finish(onClose) });
  return (
    <ConfirmDialog
      title={restaurantsTexts.changeRateLimit}
      consequence={restaurant.name}
      confirmLabel={commonTexts.save}
      isOpen
      isBusy={change.isPending}
      problem={fieldProblem === undefined ? problem?.message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Field
        label={restaurantsTexts.rateLimit}
        hint={restaurantsTexts.rateLimitHint}
        problem={fieldProblem}
        type="number"
        min={1}
        max={1_000_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </ConfirmDialog>
  );
}

function finish(onClose: () => void): void {
  showToast(restaurantsTexts.changed);
  onClose();
}
