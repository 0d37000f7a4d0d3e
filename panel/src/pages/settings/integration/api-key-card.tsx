import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKeyView } from '../../../../../src/contract/panel/restaurants/integration.ts';
import { Badge, type BadgeTone } from '../../../parts/orders/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/content/empty-state.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { SecretOnce } from '../../../ui/dialogs/secret-once.tsx';
import { ZonedTime } from '../../../ui/time/times.tsx';
import { apiKeyTexts, credentialTexts } from '../../../texts/webhooks/integration.ts';
import { CredentialList, type CredentialListProps } from './credential-list.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { useOwnersOnly } from '../settings-frame.tsx';

const TONES: Record<ApiKeyView['state'], BadgeTone> = {
  good: 'good',
  'expires-soon': 'warn',
  expired: 'neutral',
  revoked: 'neutral',
};

const COLUMNS: CredentialListProps<ApiKeyView>['columns'] = {
  name: {
    header: apiKeyTexts.prefix,
    cell: ({ prefix, environment }) => (
      <span className="flex flex-col items-end sm:items-start">
        <code className="font-mono">{`${prefix}…`}</code>
        <span className="text-sm text-ink-faint">{apiKeyTexts.environments[environment]}</span>
      </span>
    ),
  },
  state: { header: apiKeyTexts.expires, cell: (key) => <Expiry apiKey={key} /> },
};

export function ApiKeyCard({ keys }: { keys: readonly ApiKeyView[] }) {
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<ApiKeyView | null>(null);
  const ownersOnly = useOwnersOnly();
  return (
    <Card
      title={apiKeyTexts.title}
      description={apiKeyTexts.description}
      isFlush
      actions={
        <Button
          icon={<Plus aria-hidden className="size-4" />}
          disabledReason={ownersOnly}
          onClick={() => setIsCreating(true)}
        >
          {apiKeyTexts.create}
        </Button>
      }
    >
      <CredentialList
        caption={apiKeyTexts.title}
        credentials={keys}
        columns={COLUMNS}
        keyOf={({ keyId }) => keyId}
        nameOf={({ prefix }) => prefix}
        onRevoke={setRevoking}
        empty={
          <EmptyState icon={<KeyRound />} title={apiKeyTexts.empty}>
            {apiKeyTexts.emptyText}
          </EmptyState>
        }
      />
      {isCreating && <NewKeyDialog onCreated={setCreated} onClose={() => setIsCreating(false)} />}
      {created !== null && (
        <SecretOnce
          title={apiKeyTexts.shownTitle}
          secrets={[{ label: apiKeyTexts.key, value: created }]}
          fileName="waybill-api-key.txt"
          onClose={() => setCreated(null)}
        />
      )}
      {revoking !== null && (
        <RevokeDialog
          what="key"
          id={revoking.keyId}
          title={apiKeyTexts.revokeTitle(revoking.prefix)}
          consequence={apiKeyTexts.revokeText}
          confirmLabel={credentialTexts.revoke}
          doneText={apiKeyTexts.revoked}
          onClose={() => setRevoking(null)}
        />
      )}
    </Card>
  );
}

function Expiry({ apiKey: { state, expiresAt } }: { apiKey: ApiKeyView }) {
  return (
    <span className="flex flex-col items-end gap-0.5 sm:items-start">
      {expiresAt === null ? (
        <span className="text-ink-faint">{apiKeyTexts.noExpiry}</span>
      ) : (
        <ZonedTime at={expiresAt} detail="date" />
      )}
      {state !== 'good' && <Badge tone={TONES[state]}>{apiKeyTexts.states[state]}</Badge>}
    </span>
  );
}
