import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useReplanNow } from '../../api/planning/planning.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { planControlTexts } from '../../texts/planning/planning.ts';

export function ReplanButton() {
  const [isAsked, setIsAsked] = useState(false);
  const replan = useReplanNow();
  const act = (): void =>
    replan.mutate(undefined, {
      onSuccess: () => {
        showToast(planControlTexts.replanDone);
        setIsAsked(false);
      },
    });
  return (
    <>
      <Button icon={<RefreshCw aria-hidden className="size-4" />} onClick={() => setIsAsked(true)}>
        {planControlTexts.replan}
      </Button>
      <ConfirmDialog
        title={planControlTexts.replanTitle}
        consequence={planControlTexts.replanText}
        confirmLabel={planControlTexts.replan}
        isOpen={isAsked}
        isBusy={replan.isPending}
        problem={replan.error?.message}
        onConfirm={act}
        onClose={() => {
          setIsAsked(false);
          replan.reset();
        }}
      />
    </>
  );
}
