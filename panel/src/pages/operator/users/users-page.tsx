import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import type { UserEntry } from '../../../../../src/contract/panel/operator/users.ts';
import { ROLES } from '../../../../../src/domain/people/roles.ts';
import { usersQuery } from '../../../api/operator/users.ts';
import { useSession } from '../../../api/people/session.ts';
import { Badge, type BadgeTone } from '../../../parts/orders/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/content/empty-state.tsx';
import { Page } from '../../../ui/content/page.tsx';
import { SearchInput } from '../../../ui/forms/search-input.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { RelativeTime } from '../../../ui/time/times.tsx';
import { operatorTexts } from '../../../texts/operator/overview.ts';
import { usersTexts } from '../../../texts/operator/users.ts';
import { roleTexts } from '../../../texts/people/team.ts';
import { InvitationLink } from '../../team/invite-dialog.tsx';
import { InviteUserDialog } from './invite-dialog.tsx';
import { ListCard } from '../list-card.tsx';
import { UserDialog, type UserChange } from './user-dialog.tsx';
import { UserMenu } from './user-menu.tsx';

const STATE_TONES: Record<UserEntry['state'], BadgeTone> = { active: 'good', invited: 'warn', disabled: 'neutral' };
const ROLE_OPTIONS = [
  { value: '', label: usersTexts.anyRole },
  ...ROLES.map((value) => ({ value, label: roleTexts[value].name })),
];

export function UsersPage() {
  const search = useSearch({ from: '/app/operator/users' });
  const { q = '' } = search;
  const role = ROLES.find((candidate) => candidate === search.role);
  const navigate = useNavigate();
  const list = useInfiniteQuery(usersQuery(q, role));
  const [isInviting, setIsInviting] = useState(false);
  const [change, setChange] = useState<UserChange | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const { userId } = useSession();
  const rows = list.data?.pages.flatMap((page) => page.users) ?? [];
  const filter = (part: Partial<typeof search>): void =>
    void navigate({ to: '/operator/users', search: { ...search, ...part }, replace: true });
  return (
    <Page
      title={usersTexts.title}
      description={usersTexts.description}
      actions={
        <Button look="primary" icon={<UserPlus aria-hidden className="size-4" />} onClick={() => setIsInviting(true)}>
          {usersTexts.invite}
        </Button>
      }
    >
      <div className="flex flex-wrap items-end gap-3">
        <SearchInput
          label={usersTexts.search}
          value={q}
          onChange={(text) => filter({ q: text })}
          className="w-full sm:w-80"
        />
        <Select
          label={usersTexts.roleFilter}
          isLabelHidden
          options={ROLE_OPTIONS}
          value={role ?? ''}
          onChange={(chosen) => filter({ role: chosen })}
        />
      </div>
      <ListCard
        query={list}
        isEmpty={rows.length === 0}
        empty={
          <EmptyState icon={<Users />} title={operatorTexts.nothingFound}>
            {operatorTexts.nothingFoundHint}
          </EmptyState>
        }
      >
        <Table
          caption={usersTexts.title}
          columns={columnsFor({ ownId: userId, onChange: setChange, onLink: setLink })}
          rows={rows}
          keyOf={(user) => user.userId}
        />
      </ListCard>
      {isInviting && <InviteUserDialog onLink={setLink} onClose={() => setIsInviting(false)} />}
      {link !== null && <InvitationLink link={link} onClose={() => setLink(null)} />}
      {change !== null && <UserDialog change={change} onClose={() => setChange(null)} />}
    </Page>
  );
}

interface ColumnDeps {
  ownId: string;
  onChange: (change: UserChange) => void;
  onLink: (link: string) => void;
}

function columnsFor({ ownId, onChange, onLink }: ColumnDeps): Column<UserEntry>[] {
  return [
    { header: usersTexts.name, isTitle: true, cell: (user) => <Who user={user} isSelf={user.userId === ownId} /> },
    { header: usersTexts.role, cell: ({ role }) => roleTexts[role].name },
    {
      header: usersTexts.belongs,
      cell: ({ restaurantName, courierName }) =>
        restaurantName ?? courierName ?? <span className="text-ink-faint">{usersTexts.everything}</span>,
    },
    {
      header: usersTexts.state,
      cell: ({ state }) => <Badge tone={STATE_TONES[state]}>{usersTexts.states[state]}</Badge>,
    },
    {
      header: usersTexts.secondFactor,
      cell: ({ hasTwoFactor }) => (hasTwoFactor ? usersTexts.on : usersTexts.off),
    },
    {
      header: usersTexts.lastSeen,
      cell: ({ lastSeenAt }) =>
        lastSeenAt === null ? (
          <span className="text-ink-faint">{usersTexts.never}</span>
        ) : (
          <RelativeTime at={lastSeenAt} />
        ),
    },
    {
      header: operatorTexts.actions,
      isHeaderHidden: true,
      align: 'right',
      cell: (user) => <UserMenu user={user} isSelf={user.userId === ownId} onChange={onChange} onLink={onLink} />,
    },
  ];
}

function Who({ user, isSelf }: { user: UserEntry; isSelf: boolean }) {
  return (
    <span className="flex min-w-0 flex-col">
      <span className="font-medium break-words">
        {user.name === '' ? user.email : user.name}
        {isSelf && <span className="ml-2 font-normal text-ink-faint">{usersTexts.you}</span>}
      </span>
      {user.name !== '' && <span className="truncate text-sm text-ink-faint">{user.email}</span>}
    </span>
  );
}
