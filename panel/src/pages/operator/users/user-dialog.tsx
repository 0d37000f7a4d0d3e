import type { UserEntry } from '../../../../../src/contract/panel/operator/users.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useUserChange } from '../../../api/operator/users.ts';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { userTurnTexts, type UserTurn } from '../../../texts/operator/users.ts';

export interface UserChange {
  user: UserEntry;
  to: UserTurn;
}

export function UserDialog({ change, onClose }: { change: UserChange; onClose: () => void }) {
  const { user, to } = change;
  const send = useUserChange(to);
  const texts = userTurnTexts[to];
  const confirm = (): void =>
    send.mutate(user.userId, {
      onSuccess: () => {
        showToast(texts.done);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={texts.title(user.name === '' ? user.email : user.name)}
      consequence={texts.text}
      confirmLabel={texts.button}
      isDangerous={to !== 'enabled'}
      isOpen
      isBusy={send.isPending}
      problem={send.isError ? toApiError(send.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
