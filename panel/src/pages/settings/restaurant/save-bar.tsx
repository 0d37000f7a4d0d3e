import { toApiError } from '../../../api/api-error.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { commonTexts } from '../../../texts/everywhere.ts';
import { restaurantTexts } from '../../../texts/restaurants/restaurant.ts';
import { useOwnersOnly } from '../settings-frame.tsx';

export interface SaveBarProps {
  isChanged: boolean;
  /** Why the input cannot be saved. */
  problem?: string | undefined;
  isBusy: boolean;
  error: Error | null;
  onUndo: () => void;
}

/** The bottom bar of a card with a form. */
export function SaveBar({ isChanged, problem, isBusy, error, onUndo }: SaveBarProps) {
  const ownersOnly = useOwnersOnly();
  const unchanged = isChanged ? null : restaurantTexts.unchanged;
  return (
    <>
      {error !== null && <Banner tone="danger">{sayProblem(error)}</Banner>}
      <div className="flex justify-end gap-2">
        {isChanged && <Button onClick={onUndo}>{restaurantTexts.undo}</Button>}
        <Button look="primary" type="submit" isBusy={isBusy} disabledReason={ownersOnly ?? unchanged ?? problem}>
          {commonTexts.save}
        </Button>
      </div>
    </>
  );
}

function sayProblem(error: Error): string {
  const { message, details } = toApiError(error);
  return details[0]?.message ?? message;
}
