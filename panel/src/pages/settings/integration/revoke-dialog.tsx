import { toApiError } from '../../../api/api-error.ts';
import { useRevoke, type Credential } from '../../../api/restaurants/integration.ts';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { showToast } from '../../../ui/toast.tsx';

export interface RevokeDialogProps {
  what: Credential;
  id: string;
  title: string;
  consequence: string;
  confirmLabel: string;
  doneText: string;
  onClose: () => void;
}

/** Confirms revoking a credential and explains the consequences. */
export function RevokeDialog({ what, id, doneText, onClose, ...texts }: RevokeDialogProps) {
  const revoke = useRevoke(what);
  const confirm = (): void =>
    revoke.mutate(id, {
      onSuccess: () => {
        showToast(doneText);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      {...texts}
      isDangerous
      isOpen
      isBusy={revoke.isPending}
      problem={revoke.isError ? toApiError(revoke.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
