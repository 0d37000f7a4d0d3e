import type { Member } from '../../../../src/contract/panel/people/team.ts';
import { toApiError } from '../../api/api-error.ts';
import { useMemberChange, type MemberTurn } from '../../api/people/team.ts';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { teamTexts } from '../../texts/people/team.ts';

export interface MemberChange {
  member: Member;
  to: MemberTurn;
}

const KINDS = {
  owner: { title: teamTexts.makeOwnerTitle, text: teamTexts.makeOwnerText, button: teamTexts.makeOwner },
  staff: { title: teamTexts.makeStaffTitle, text: teamTexts.makeStaffText, button: teamTexts.makeStaff },
  enabled: { title: teamTexts.enableTitle, text: teamTexts.enableText, button: teamTexts.enable },
  disabled: { title: teamTexts.disableTitle, text: teamTexts.disableText, button: teamTexts.disable },
  removed: { title: teamTexts.removeTitle, text: teamTexts.removeText, button: teamTexts.remove },
} as const;

export function MemberDialog({ change, onClose }: { change: MemberChange; onClose: () => void }) {
  const { member, to } = change;
  const send = useMemberChange(to);
  const kind = KINDS[to];
  const confirm = (): void =>
    send.mutate(member.userId, {
      onSuccess: () => {
        showToast(teamTexts.changed);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={kind.title(member.name === '' ? member.email : member.name)}
      consequence={kind.text}
      confirmLabel={kind.button}
      isDangerous={to === 'disabled' || to === 'removed'}
      isOpen
      isBusy={send.isPending}
      problem={send.isError ? toApiError(send.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
