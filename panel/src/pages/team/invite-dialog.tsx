import { useState } from 'react';
import { RESTAURANT_ROLES, type RestaurantRole } from '../../../../src/domain/people/roles.ts';
import { toApiError } from '../../api/api-error.ts';
import { useInvite } from '../../api/people/team.ts';
import { Field } from '../../ui/forms/field.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { SecretOnce } from '../../ui/dialogs/secret-once.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { showToast } from '../../ui/toast.tsx';
import { roleTexts, teamTexts } from '../../texts/people/team.ts';

const ROLE_OPTIONS = RESTAURANT_ROLES.map((value) => ({ value, label: roleTexts[value].name }));

/** Without a mail server, the user must pass on the link. */
export function InvitationLink({ link, onClose }: { link: string; onClose: () => void }) {
  return (
    <SecretOnce
      title={teamTexts.linkTitle}
      note={teamTexts.noMail}
      secrets={[{ label: teamTexts.link, value: link }]}
      fileName="invitation.txt"
      onClose={onClose}
    />
  );
}

export function InviteDialog({ onLink, onClose }: { onLink: (link: string) => void; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<RestaurantRole>('staff');
  const invite = useInvite();
  const problem = invite.isError ? toApiError(invite.error) : undefined;
  const submit = (): void =>
    invite.mutate(
      { email, name, role },
      {
        onSuccess: (answer) => {
          showToast(teamTexts.invited(answer.member.email));
          onClose();
          if (answer.invitationLink !== null) onLink(answer.invitationLink);
        },
      },
    );
  return (
    <FormDialog
      title={teamTexts.inviteTitle}
      description={teamTexts.inviteText}
      submitLabel={teamTexts.send}
      isBusy={invite.isPending}
      problem={problem?.details.length === 0 ? problem.message : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={teamTexts.email}
        type="email"
        required
        autoFocus
        value={email}
        problem={problem?.problemOf('email')}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Field label={teamTexts.name} value={name} onChange={(event) => setName(event.target.value)} />
      <Select
        label={teamTexts.role}
        hint={roleTexts[role].meaning}
        options={ROLE_OPTIONS}
        value={role}
        onChange={setRole}
      />
    </FormDialog>
  );
}
