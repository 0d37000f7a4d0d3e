import { Plus } from 'lucide-react';
import { useState } from 'react';
import type {
  BasicCredentialView,
  CreatedBasicAnswer,
} from '../../../../../src/contract/panel/restaurants/integration.ts';
import { useCreateBasic } from '../../../api/restaurants/integration.ts';
import { Badge } from '../../../parts/orders/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { SecretOnce } from '../../../ui/dialogs/secret-once.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { basicAuthTexts, credentialTexts } from '../../../texts/webhooks/integration.ts';
import { CredentialList, type CredentialListProps } from './credential-list.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { useOwnersOnly } from '../settings-frame.tsx';

const COLUMNS: CredentialListProps<BasicCredentialView>['columns'] = {
  name: {
    header: basicAuthTexts.username,
    cell: ({ username }) => <code className="font-mono break-all">{username}</code>,
  },
  state: {
    header: basicAuthTexts.state,
    cell: ({ state }) => <Badge tone={state === 'good' ? 'good' : 'neutral'}>{basicAuthTexts.states[state]}</Badge>,
  },
};

export function BasicAuthCard({ credentials }: { credentials: readonly BasicCredentialView[] }) {
  const [created, setCreated] = useState<CreatedBasicAnswer | null>(null);
  const [revoking, setRevoking] = useState<BasicCredentialView | null>(null);
  const create = useCreateBasic();
  const ownersOnly = useOwnersOnly();
  const submit = (): void =>
    create.mutate(undefined, {
      onSuccess: setCreated,
      onError: (error) => showToast(error.message, 'danger'),
    });
  return (
    <Card
      title={basicAuthTexts.title}
      description={basicAuthTexts.description}
      isFlush
      actions={
        <Button
          icon={<Plus aria-hidden className="size-4" />}
          disabledReason={ownersOnly}
          isBusy={create.isPending}
          onClick={submit}
        >
          {basicAuthTexts.create}
        </Button>
      }
    >
      <CredentialList
        caption={basicAuthTexts.title}
        credentials={credentials}
        columns={COLUMNS}
        keyOf={({ credentialId }) => credentialId}
        nameOf={({ username }) => username}
        onRevoke={setRevoking}
        empty={
          <p className="border-t px-5 py-4 text-ink-soft">
            <span className="font-medium text-ink">{basicAuthTexts.empty}</span>
            <br />
            {basicAuthTexts.emptyText}
          </p>
        }
      />
      {created !== null && (
        <SecretOnce
          title={basicAuthTexts.shownTitle}
          secrets={[
            { label: basicAuthTexts.username, value: created.username },
            { label: basicAuthTexts.password, value: created.password },
          ]}
          fileName="waybill-basic-auth.txt"
          onClose={() => setCreated(null)}
        />
      )}
      {revoking !== null && (
        <RevokeDialog
          what="basic"
          id={revoking.credentialId}
          title={basicAuthTexts.revokeTitle(revoking.username)}
          consequence={basicAuthTexts.revokeText}
          confirmLabel={credentialTexts.revoke}
          doneText={basicAuthTexts.revoked}
          onClose={() => setRevoking(null)}
        />
      )}
    </Card>
  );
}
