import { Send } from 'lucide-react';
import type { CreatedSecretAnswer } from '../../../../../src/contract/panel/restaurants/integration.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useCheckUrl, useCreateSecret, useSwitchSecret } from '../../../api/restaurants/integration.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { secretTexts } from '../../../texts/webhooks/integration.ts';
import { CheckResult } from './check-result.tsx';

export interface CreateSecretDialogProps {
  isFirst: boolean;
  onCreated: (created: CreatedSecretAnswer) => void;
  onClose: () => void;
}

export function CreateSecretDialog({ isFirst, onCreated, onClose }: CreateSecretDialogProps) {
  const create = useCreateSecret();
  const confirm = (): void =>
    create.mutate(undefined, {
      onSuccess: (created) => {
        onClose();
        onCreated(created);
      },
    });
  return (
    <ConfirmDialog
      title={secretTexts.createTitle}
      consequence={isFirst ? secretTexts.createFirstText : secretTexts.createNextText}
      confirmLabel={isFirst ? secretTexts.create : secretTexts.createNext}
      isOpen
      isBusy={create.isPending}
      problem={create.isError ? toApiError(create.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

export interface SwitchSecretDialogProps {
  secretId: string;
  statusUrl: string | null;
  onClose: () => void;
}

/** Lets the user test whether the receiver knows the new secret before switching to it. */
export function SwitchSecretDialog({ secretId, statusUrl, onClose }: SwitchSecretDialogProps) {
  const change = useSwitchSecret();
  const check = useCheckUrl();
  const confirm = (): void =>
    change.mutate(secretId, {
      onSuccess: () => {
        showToast(secretTexts.switched);
        onClose();
      },
    });
  const test = (): void => {
    if (statusUrl !== null) check.mutate({ endpoint: 'status', url: statusUrl, signedWith: 'pending' });
  };
  return (
    <ConfirmDialog
      title={secretTexts.switchTitle}
      consequence={secretTexts.switchText}
      confirmLabel={secretTexts.switch}
      isOpen
      isBusy={change.isPending}
      problem={change.isError ? toApiError(change.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3 rounded-md border bg-sunken/50 p-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="flex-1 basis-40 text-sm text-ink-soft">{secretTexts.testHint}</p>
          <Button
            size="small"
            icon={<Send aria-hidden className="size-3.5" />}
            disabledReason={statusUrl === null ? secretTexts.noUrl : null}
            isBusy={check.isPending}
            onClick={test}
          >
            {secretTexts.test}
          </Button>
        </div>
        {check.data !== undefined && <CheckResult check={check.data} />}
        {check.isError && <Banner tone="danger">{toApiError(check.error).message}</Banner>}
      </div>
    </ConfirmDialog>
  );
}
