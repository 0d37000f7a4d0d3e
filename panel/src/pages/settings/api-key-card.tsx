import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKeyView } from '../../../../src/contract/panel/integration.ts';
import { Badge, type BadgeTone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card } from '../../components/page.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { RelativeTime, ZonedTime } from '../../components/times.tsx';
import { apiKeyTexts } from '../../texts/integration.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { useOwnersOnly } from './settings-frame.tsx';

const TONES: Record<ApiKeyView['state'], BadgeTone> = {
  good: 'good',
  'expires-soon': 'warn',
  expired: 'neutral',
  revoked: 'neutral',
};

const isGone = ({ state }: ApiKeyView): boolean => state === 'revoked' || state === 'expired';

export function ApiKeyCard({ keys }: { keys: readonly ApiKeyView[] }) {
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<ApiKeyView | null>(null);
  const [showsGone, setShowsGone] = useState(false);
  const ownersOnly = useOwnersOnly();
  const gone = keys.filter(isGone);
  const shown = showsGone ? keys : keys.filter((key) => !isGone(key));
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
      {shown.length === 0 ? (
        <EmptyState icon={<KeyRound />} title={apiKeyTexts.empty}>
          {apiKeyTexts.emptyText}
        </EmptyState>
      ) : (
        <KeyTable keys={shown} ownersOnly={ownersOnly} onRevoke={setRevoking} />
      )}
      {gone.length > 0 && (
        <div className="border-t px-5 py-2">
          <Button look="quiet" size="small" aria-expanded={showsGone} onClick={() => setShowsGone(!showsGone)}>
            {showsGone ? apiKeyTexts.hideGone : apiKeyTexts.showGone(gone.length)}
          </Button>
        </div>
      )}
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
          what="api-keys"
          id={revoking.keyId}
          title={apiKeyTexts.revokeTitle(revoking.prefix)}
          consequence={apiKeyTexts.revokeText}
          confirmLabel={apiKeyTexts.revoke}
          doneText={apiKeyTexts.revoked}
          onClose={() => setRevoking(null)}
        />
      )}
    </Card>
  );
}

interface KeyTableProps {
  keys: readonly ApiKeyView[];
  ownersOnly: string | null;
  onRevoke: (key: ApiKeyView) => void;
}

function KeyTable({ keys, ownersOnly, onRevoke }: KeyTableProps) {
  const columns: Column<ApiKeyView>[] = [
    {
      header: apiKeyTexts.prefix,
      cell: ({ prefix, environment }) => (
        <span className="flex flex-col items-end sm:items-start">
          <code className="font-mono">{`${prefix}…`}</code>
          <span className="text-sm text-ink-faint">{apiKeyTexts.environments[environment]}</span>
        </span>
      ),
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
    { header: apiKeyTexts.expires, cell: (key) => <Expiry apiKey={key} /> },
    {
      header: apiKeyTexts.actions,
      isHeaderHidden: true,
      align: 'right',
      cell: (key) => (
        <Button
          size="small"
          look="quiet"
          aria-label={apiKeyTexts.revokeThing(key.prefix)}
          disabledReason={key.state === 'revoked' ? apiKeyTexts.revokedAlready : ownersOnly}
          onClick={() => onRevoke(key)}
        >
          {apiKeyTexts.revoke}
        </Button>
      ),
    },
  ];
  return <Table caption={apiKeyTexts.title} columns={columns} rows={keys} keyOf={({ keyId }) => keyId} />;
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
