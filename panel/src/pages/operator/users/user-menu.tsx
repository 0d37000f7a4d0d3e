import { MoreHorizontal } from 'lucide-react';
import type { UserEntry } from '../../../../../src/contract/panel/operator/users.ts';
import { useInviteUserAgain } from '../../../api/operator/users.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { operatorTexts } from '../../../texts/operator/overview.ts';
import { usersTexts, userTurnTexts } from '../../../texts/operator/users.ts';
import type { UserChange } from './user-dialog.tsx';

export interface UserMenuProps {
  user: UserEntry;
  isSelf: boolean;
  onChange: (change: UserChange) => void;
  onLink: (link: string) => void;
}

export function UserMenu({ user, isSelf, onChange, onLink }: UserMenuProps) {
  const invite = useInviteUserAgain();
  const inviteAgain = (): void =>
    invite.mutate(user.userId, {
      onSuccess: ({ invitationLink }) => {
        showToast(usersTexts.invited(user.email));
        if (invitationLink !== null) onLink(invitationLink);
      },
      onError: (error) => showToast(error.message, 'danger'),
    });
  const own = isSelf ? usersTexts.ownAccount : undefined;
  const turn = user.state === 'disabled' ? 'enabled' : 'disabled';
  return (
    <Menu
      label={operatorTexts.actions}
      trigger={
        <Button
          look="quiet"
          size="icon"
          aria-label={usersTexts.actionsFor(user.email)}
          icon={<MoreHorizontal aria-hidden className="size-4" />}
        />
      }
    >
      {user.state === 'invited' && <MenuItem onSelect={inviteAgain}>{usersTexts.inviteAgain}</MenuItem>}
      <MenuItem
        disabledReason={user.sessions === 0 ? usersTexts.notSignedIn : undefined}
        onSelect={() => onChange({ user, to: 'signedOut' })}
      >
        {userTurnTexts.signedOut.button}
      </MenuItem>
      <MenuItem
        disabledReason={user.hasTwoFactor ? own : usersTexts.noSecondFactor}
        onSelect={() => onChange({ user, to: 'secondFactorReset' })}
      >
        {userTurnTexts.secondFactorReset.button}
      </MenuItem>
      <MenuItem disabledReason={own} onSelect={() => onChange({ user, to: turn })}>
        {userTurnTexts[turn].button}
      </MenuItem>
      <MenuItem isDangerous disabledReason={own} onSelect={() => onChange({ user, to: 'removed' })}>
        {userTurnTexts.removed.button}
      </MenuItem>
    </Menu>
  );
}
