import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { BasicCredentialView, CreatedBasicAnswer } from '../../../../src/contract/panel/integration.ts';
import { useCreateBasic } from '../../api/integration.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/page.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { RelativeTime, ZonedTime } from '../../components/times.tsx';
import { showToast } from '../../components/toast.tsx';
import { apiKeyTexts, basicAuthTexts } from '../../texts/integration.ts';
import { RevokeDialog } from './revoke-dialog.tsx';
import { useOwnersOnly } from './settings-frame.tsx';

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
      {credentials.length === 0 ? (
        <p className="border-t px-5 py-4 text-ink-soft">
          <span className="font-medium text-ink">{basicAuthTexts.empty}</span>
          <br />
          {basicAuthTexts.emptyText}
        </p>
      ) : (
        <CredentialTable credentials={credentials} ownersOnly={ownersOnly} onRevoke={setRevoking} />
      )}
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
          what="basic-credentials"
          id={revoking.credentialId}
          title={basicAuthTexts.revokeTitle(revoking.username)}
          consequence={basicAuthTexts.revokeText}
          confirmLabel={apiKeyTexts.revoke}
          doneText={basicAuthTexts.revoked}
          onClose={() => setRevoking(null)}
        />
      )}
    </Card>
  );
}

interface CredentialTableProps {
  credentials: readonly BasicCredentialView[];
  ownersOnly: string | null;
  onRevoke: (credential: BasicCredentialView) => void;
}

function CredentialTable({ credentials, ownersOnly, onRevoke }: CredentialTableProps) {
  const columns: Column<BasicCredentialView>[] = [
    {
      header: basicAuthTexts.username,
      cell: ({ username }) => <code className="font-mono break-all">{username}</code>,
    },
    { header: apiKeyTexts.created, cell: ({ createdAt }) => <ZonedTime at={createdAt} detail="date" /> },
    {
      header: apiKeyTexts.lastUsed,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? (
          <span className="text-ink-faint">{apiKeyTexts.never}</span>
        ) : (
          <RelativeTime at={lastUsedAt} />
        ),
    },
    {
      header: basicAuthTexts.state,
      cell: ({ state }) => <Badge tone={state === 'good' ? 'good' : 'neutral'}>{basicAuthTexts.states[state]}</Badge>,
    },
    {
      header: apiKeyTexts.actions,
      isHeaderHidden: true,
      align: 'right',
      cell: (credential) => (
        <Button
          size="small"
          look="quiet"
          aria-label={basicAuthTexts.revokeThing(credential.username)}
          disabledReason={credential.state === 'revoked' ? apiKeyTexts.revokedAlready : ownersOnly}
          onClick={() => onRevoke(credential)}
        >
          {apiKeyTexts.revoke}
        </Button>
      ),
    },
  ];
  return (
    <Table caption={basicAuthTexts.title} columns={columns} rows={credentials} keyOf={(row) => row.credentialId} />
  );
}
