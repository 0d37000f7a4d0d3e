import type { ReactNode } from 'react';
import type { RestaurantRequest } from '../../../../../src/contract/panel/restaurants/restaurant.ts';
import { useChangeRestaurant } from '../../../api/restaurants/restaurant.ts';
import { Card } from '../../../ui/content/page.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { restaurantTexts } from '../../../texts/restaurants/restaurant.ts';
import { SaveBar } from './save-bar.tsx';
import { useOwnersOnly } from '../settings-frame.tsx';

export interface SettingsFormProps {
  title: string;
  description?: string;
  isChanged: boolean;
  problem?: string | undefined;
  /** Builds the request for saving. */
  request: () => RestaurantRequest;
  /** Discards the input. */
  onReset: () => void;
  children: ReactNode;
}

/** A card with one form that is saved separately. */
export function SettingsForm(props: SettingsFormProps) {
  const { title, description, isChanged, problem, request, onReset, children } = props;
  const change = useChangeRestaurant();
  const ownersOnly = useOwnersOnly();
  const save = (): void =>
    change.mutate(request(), {
      onSuccess: () => {
        showToast(restaurantTexts.saved);
        onReset();
      },
    });
  return (
    <Card title={title} description={description}>
      <form
        className="flex flex-col gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && problem === undefined && ownersOnly === null) save();
        }}
      >
        {children}
        <SaveBar
          isChanged={isChanged}
          problem={problem}
          isBusy={change.isPending}
          error={change.error}
          onUndo={() => {
            change.reset();
            onReset();
          }}
        />
      </form>
    </Card>
  );
}
