import { useQuery } from '@tanstack/react-query';
import { MoreHorizontal, UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { Member } from '../../../../src/contract/panel/people/team.ts';
import { useSession } from '../../api/people/session.ts';
import { teamQuery, useInviteAgain } from '../../api/people/team.ts';
import { Badge, type BadgeTone } from '../../parts/orders/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Card, Page } from '../../ui/content/page.tsx';
import { SkeletonRows } from '../../ui/content/skeleton.tsx';
import { Table, type Column } from '../../ui/content/table.tsx';
import { ZonedTime } from '../../ui/time/times.tsx';
import { showToast } from '../../ui/toast.tsx';
import { roleTexts, teamTexts } from '../../texts/people/team.ts';
import { InvitationLink, InviteDialog } from './invite-dialog.tsx';
import { MemberDialog, type MemberChange } from './member-dialog.tsx';

const STATE_TONES: Record<Member['state'], BadgeTone> = { active: 'good', invited: 'warn', disabled: 'neutral' };

export function TeamPage() {
  const team = useQuery(teamQuery);
  const [isInviting, setIsInviting] = useState(false);
  const [change, setChange] = useState<MemberChange | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const { role } = useSession();
  return (
    <Page
      title={teamTexts.title}
      description={teamTexts.description}
      actions={
        <Button
          look="primary"
          icon={<UserPlus aria-hidden className="size-4" />}
          disabledReason={role === 'owner' ? null : teamTexts.ownersOnly}
          onClick={() => setIsInviting(true)}
        >
          {teamTexts.invite}
        </Button>
      }
    >
      <Card isFlush>
        {team.isPending && <SkeletonRows count={3} />}
        {team.isLoadingError && <ErrorState error={team.error} onRetry={() => void team.refetch()} />}
        {team.data !== undefined && <MemberTable members={team.data.members} onChange={setChange} onLink={setLink} />}
      </Card>
      {isInviting && <InviteDialog onLink={setLink} onClose={() => setIsInviting(false)} />}
      {link !== null && <InvitationLink link={link} onClose={() => setLink(null)} />}
      {change !== null && <MemberDialog change={change} onClose={() => setChange(null)} />}
    </Page>
  );
}

interface MemberTableProps {
  members: readonly Member[];
  onChange: (change: MemberChange) => void;
  onLink: (link: string) => void;
}

function MemberTable({ members, onChange, onLink }: MemberTableProps) {
  const { userId, role } = useSession();
  const reasonFor = (member: Member): string | undefined => {
    if (role !== 'owner') return teamTexts.ownersOnly;
    return member.userId === userId ? teamTexts.ownAccount : undefined;
  };
  const columns: Column<Member>[] = [
    { header: teamTexts.name, cell: (member) => <Who member={member} isSelf={member.userId === userId} /> },
    { header: teamTexts.role, cell: (member) => roleTexts[member.role].name },
    {
      header: teamTexts.state,
      cell: ({ state }) => <Badge tone={STATE_TONES[state]}>{teamTexts.states[state]}</Badge>,
    },
    {
      header: teamTexts.secondFactor,
      cell: ({ hasTwoFactor }) => (hasTwoFactor ? teamTexts.hasSecondFactor : teamTexts.noSecondFactor),
    },
    { header: teamTexts.since, cell: ({ createdAt }) => <ZonedTime at={createdAt} detail="date" /> },
    {
      header: teamTexts.actions,
      isHeaderHidden: true,
      align: 'right',
      cell: (member) => <MemberMenu member={member} reason={reasonFor(member)} onChange={onChange} onLink={onLink} />,
    },
  ];
  return <Table caption={teamTexts.title} columns={columns} rows={members} keyOf={(member) => member.userId} />;
}

function Who({ member, isSelf }: { member: Member; isSelf: boolean }) {
  return (
    <span className="flex min-w-0 flex-col text-right sm:text-left">
      <span className="font-medium">
        {member.name === '' ? member.email : member.name}
        {isSelf && <span className="ml-2 font-normal text-ink-faint">{teamTexts.you}</span>}
      </span>
      {member.name !== '' && <span className="truncate text-sm text-ink-faint">{member.email}</span>}
    </span>
  );
}

interface MemberMenuProps {
  member: Member;
  /** Why this member cannot be changed. */
  reason: string | undefined;
  onChange: (change: MemberChange) => void;
  onLink: (link: string) => void;
}

function MemberMenu({ member, reason, onChange, onLink }: MemberMenuProps) {
  const isOwner = member.role === 'owner';
  const isDisabled = member.state === 'disabled';
  const invite = useInviteAgain();
  const inviteAgain = (): void =>
    invite.mutate(member.userId, {
      onSuccess: ({ invitationLink }) => {
        showToast(teamTexts.invited(member.email));
        if (invitationLink !== null) onLink(invitationLink);
      },
      onError: (error) => showToast(error.message, 'danger'),
    });
  return (
    <Menu
      label={teamTexts.actions}
      trigger={
        <Button
          look="quiet"
          size="icon"
          aria-label={`${teamTexts.actions}: ${member.email}`}
          icon={<MoreHorizontal aria-hidden className="size-4" />}
        />
      }
    >
      {member.state === 'invited' && (
        <MenuItem disabledReason={reason} onSelect={inviteAgain}>
          {teamTexts.inviteAgain}
        </MenuItem>
      )}
      <MenuItem disabledReason={reason} onSelect={() => onChange({ member, to: isOwner ? 'staff' : 'owner' })}>
        {isOwner ? teamTexts.makeStaff : teamTexts.makeOwner}
      </MenuItem>
      <MenuItem disabledReason={reason} onSelect={() => onChange({ member, to: isDisabled ? 'enabled' : 'disabled' })}>
        {isDisabled ? teamTexts.enable : teamTexts.disable}
      </MenuItem>
      <MenuItem isDangerous disabledReason={reason} onSelect={() => onChange({ member, to: 'removed' })}>
        {teamTexts.remove}
      </MenuItem>
    </Menu>
  );
}
