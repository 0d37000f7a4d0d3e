// Credentials of one kind: the valid ones, and on request the revoked and expired ones.
import { useState, type ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { RelativeTime, ZonedTime } from '../../../ui/time/times.tsx';
import { credentialTexts } from '../../../texts/webhooks/integration.ts';
import { useOwnersOnly } from '../settings-frame.tsx';

interface Credential {
  state: string;
  createdAt: string;
  lastUsedAt: string | null;
}

export interface CredentialListProps<Row extends Credential> {
  caption: string;
  credentials: readonly Row[];
  /** Its name and its state. */
  columns: { name: Column<Row>; state: Column<Row> };
  keyOf: (credential: Row) => string;
  nameOf: (credential: Row) => string;
  onRevoke: (credential: Row) => void;
  /** Shown when none is valid. */
  empty: ReactNode;
}

const isGone = ({ state }: Credential): boolean => state === 'revoked' || state === 'expired';

export function CredentialList<Row extends Credential>(props: CredentialListProps<Row>) {
  const { caption, credentials, columns, keyOf, nameOf, onRevoke, empty } = props;
  const [showsGone, setShowsGone] = useState(false);
  const ownersOnly = useOwnersOnly();
  const goneCount = credentials.filter(isGone).length;
  const shown = showsGone ? credentials : credentials.filter((credential) => !isGone(credential));
  const allColumns: Column<Row>[] = [
    columns.name,
    { header: credentialTexts.created, cell: ({ createdAt }) => <ZonedTime at={createdAt} detail="date" /> },
    { header: credentialTexts.lastUsed, cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
    columns.state,
    {
      header: credentialTexts.actions,
      isHeaderHidden: true,
      align: 'right',
      cell: (credential) => (
        <Button
          size="small"
          look="quiet"
          aria-label={credentialTexts.revokeThing(nameOf(credential))}
          disabledReason={credential.state === 'revoked' ? credentialTexts.revokedAlready : ownersOnly}
          onClick={() => onRevoke(credential)}
        >
          {credentialTexts.revoke}
        </Button>
      ),
    },
  ];
  return (
    <>
      {shown.length === 0 ? empty : <Table caption={caption} columns={allColumns} rows={shown} keyOf={keyOf} />}
      {goneCount > 0 && (
        <div className="border-t px-5 py-2">
          <Button look="quiet" size="small" aria-expanded={showsGone} onClick={() => setShowsGone(!showsGone)}>
            {showsGone ? credentialTexts.hideInactive : credentialTexts.showInactive(goneCount)}
          </Button>
        </div>
      )}
    </>
  );
}

function LastUsed({ at }: { at: string | null }) {
  return at === null ? <span className="text-ink-faint">{credentialTexts.never}</span> : <RelativeTime at={at} />;
}
