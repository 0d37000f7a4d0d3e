import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toApiError } from '../../api/api-error.ts';
import { useRestaurantZone } from '../../ui/time/zone.ts';
import { failedCountQuery, useResendFailed } from '../../api/webhooks/webhooks.ts';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { resendFailedTexts } from '../../texts/webhooks/webhooks.ts';
import { toQueryTime, writeZonedInput } from '../../parts/zoned-input.ts';

const DAY_MS = 86_400_000;

/** Shows the number of webhooks before any is sent. */
export function ResendFailedDialog({ onClose }: { onClose: () => void }) {
  const timeZone = useRestaurantZone();
  const [text, setText] = useState(() => writeZonedInput(Date.now() - DAY_MS, timeZone));
  const since = toQueryTime(text, timeZone) ?? null;
  const counted = useQuery(failedCountQuery(since));
  const resend = useResendFailed();
  const count = counted.data?.count ?? 0;
  const confirm = (): void => {
    if (since === null) return;
    resend.mutate(since, {
      onSuccess: (answer) => {
        showToast(resendFailedTexts.done(answer.count));
        onClose();
      },
    });
  };
  const problem = resend.error ?? counted.error;
  return (
    <ConfirmDialog
      title={resendFailedTexts.title}
      consequence={resendFailedTexts.text}
      confirmLabel={count === 0 ? resendFailedTexts.confirmNone : resendFailedTexts.confirm(count)}
      isOpen
      isBusy={resend.isPending}
      disabledReason={count === 0 ? resendFailedTexts.none : undefined}
      problem={problem === null ? undefined : toApiError(problem).message}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Field
        label={resendFailedTexts.since}
        hint={timeZone}
        type="datetime-local"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p aria-live="polite" className="font-medium">
        {counted.isSuccess ? resendFailedTexts.count(count) : resendFailedTexts.counting}
      </p>
    </ConfirmDialog>
  );
}
