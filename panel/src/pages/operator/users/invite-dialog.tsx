import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { InviteUserRequest } from '../../../../../src/contract/panel/operator/users.ts';
import { isRestaurantRole, ROLES, type Role } from '../../../../../src/domain/people/roles.ts';
import { toApiError } from '../../../api/api-error.ts';
import { couriersQuery } from '../../../api/operator/couriers.ts';
import { useInviteUser } from '../../../api/operator/users.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { usersTexts } from '../../../texts/operator/users.ts';
import { roleTexts } from '../../../texts/people/team.ts';
import { RestaurantSelect } from '../restaurant-select.tsx';

const ROLE_OPTIONS = ROLES.map((value) => ({ value, label: roleTexts[value].name }));

interface Draft {
  email: string;
  name: string;
  role: Role;
  restaurantId: string;
  courierId: string;
}

export function InviteUserDialog({ onLink, onClose }: { onLink: (link: string) => void; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ email: '', name: '', role: 'owner', restaurantId: '', courierId: '' });
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const invite = useInviteUser();
  const problem = invite.isError ? toApiError(invite.error) : undefined;
  const reading = readDraft(draft);
  const submit = (): void => {
    if (!('request' in reading)) return;
    invite.mutate(reading.request, {
      onSuccess: ({ email, invitationLink }) => {
        showToast(usersTexts.invited(email));
        onClose();
        if (invitationLink !== null) onLink(invitationLink);
      },
    });
  };
  return (
    <FormDialog
      title={usersTexts.inviteTitle}
      description={usersTexts.inviteText}
      submitLabel={usersTexts.send}
      isBusy={invite.isPending}
      disabledReason={'missing' in reading ? usersTexts.incomplete[reading.missing] : null}
      problem={problem?.problemOf('email') === undefined ? problem?.message : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label={usersTexts.role}
        hint={roleTexts[draft.role].meaning}
        options={ROLE_OPTIONS}
        value={draft.role}
        onChange={(role) => change({ role })}
      />
      {isRestaurantRole(draft.role) && (
        <RestaurantSelect
          noneLabel={usersTexts.chooseRestaurant}
          by="id"
          value={draft.restaurantId}
          onChange={(restaurantId) => change({ restaurantId })}
        />
      )}
      {draft.role === 'courier' && (
        <CourierSelect value={draft.courierId} onChange={(courierId) => change({ courierId })} />
      )}
      <Field
        label={usersTexts.email}
        type="email"
        required
        value={draft.email}
        problem={problem?.problemOf('email')}
        onChange={(event) => change({ email: event.target.value })}
      />
      <Field
        label={usersTexts.name}
        maxLength={100}
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
    </FormDialog>
  );
}

function CourierSelect({ value, onChange }: { value: string; onChange: (courierId: string) => void }) {
  const [text, setText] = useState('');
  const list = useInfiniteQuery(couriersQuery(text.trim()));
  const couriers = list.data?.pages.flatMap((page) => page.couriers) ?? [];
  const isLong = list.hasNextPage || text !== '';
  return (
    <>
      {isLong && (
        <Field label={usersTexts.findCourier} value={text} onChange={(event) => setText(event.target.value)} />
      )}
      <Select
        label={usersTexts.courier}
        hint={usersTexts.courierHint}
        options={[
          { value: '', label: usersTexts.chooseCourier },
          ...couriers.map(({ id, name, phone }) => ({ value: id, label: phone === null ? name : `${name}, ${phone}` })),
        ]}
        value={value}
        onChange={onChange}
      />
    </>
  );
}

function readDraft(draft: Draft): { missing: 'restaurant' | 'courier' } | { request: InviteUserRequest } {
  const { email, name, role, restaurantId, courierId } = draft;
  if (role === 'operator') return { request: { role, email, name } };
  if (role === 'courier')
    return courierId === '' ? { missing: 'courier' } : { request: { role, email, name, courierId } };
  return restaurantId === '' ? { missing: 'restaurant' } : { request: { role, email, name, restaurantId } };
}
