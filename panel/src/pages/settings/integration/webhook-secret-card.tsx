import { Plus } from 'lucide-react';
import { useState } from 'react';
import type {
  CreatedSecretAnswer,
  WebhookSecretView,
} from '../../../../../src/contract/panel/restaurants/integration.ts';
import { Badge } from '../../../parts/orders/badge.tsx';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { SecretOnce } from '../../../ui/dialogs/secret-once.tsx';
import { ZonedTime } from '../../../ui/time/times.tsx';
import { secretTexts } from '../../../texts/webhooks/integration.ts';
import { RevokeDialog } from './revoke-dialog.tsx';
import { CreateSecretDialog, SwitchSecretDialog } from './secret-dialogs.tsx';
import { useOwnersOnly } from '../settings-frame.tsx';

type Asking = { kind: 'create' } | { kind: 'switch' | 'remove'; secret: WebhookSecretView };

export interface WebhookSecretCardProps {
  secrets: readonly WebhookSecretView[];
  statusUrl: string | null;
}

export function WebhookSecretCard({ secrets, statusUrl }: WebhookSecretCardProps) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const [created, setCreated] = useState<CreatedSecretAnswer | null>(null);
  const ownersOnly = useOwnersOnly();
  const close = (): void => setAsking(null);
  const active = secrets.find(({ state }) => state === 'active');
  const pending = secrets.find(({ state }) => state === 'pending');
  return (
    <Card
      title={secretTexts.title}
      description={secretTexts.description}
      actions={
        <Button
          icon={<Plus aria-hidden className="size-4" />}
          disabledReason={ownersOnly ?? (pending === undefined ? null : secretTexts.pendingExists)}
          onClick={() => setAsking({ kind: 'create' })}
        >
          {active === undefined ? secretTexts.create : secretTexts.createNext}
        </Button>
      }
    >
      {active === undefined && (
        <Banner tone="warn" title={secretTexts.none}>
          {secretTexts.noneText}
        </Banner>
      )}
      <ul className="flex flex-col divide-y">
        {[active, pending].map(
          (secret) =>
            secret !== undefined && (
              <SecretRow
                key={secret.secretId}
                secret={secret}
                // Prevents a click on the wrong row while a second secret is pending: it would stop signing.
                removeReason={ownersOnly ?? (secret === active && pending ? secretTexts.pendingExists : null)}
                ownersOnly={ownersOnly}
                onSwitch={() => setAsking({ kind: 'switch', secret })}
                onRemove={() => setAsking({ kind: 'remove', secret })}
              />
            ),
        )}
      </ul>
      {asking?.kind === 'create' && (
        <CreateSecretDialog isFirst={active === undefined} onCreated={setCreated} onClose={close} />
      )}
      {asking?.kind === 'switch' && (
        <SwitchSecretDialog secretId={asking.secret.secretId} statusUrl={statusUrl} onClose={close} />
      )}
      {asking?.kind === 'remove' && <RemoveDialog secret={asking.secret} onClose={close} />}
      {created !== null && (
        <SecretOnce
          title={secretTexts.shownTitle}
          note={created.state === 'active' ? secretTexts.shownActive : secretTexts.shownPending}
          secrets={[{ label: secretTexts.secret, value: created.secret }]}
          fileName="waybill-webhook-secret.txt"
          onClose={() => setCreated(null)}
        />
      )}
    </Card>
  );
}

interface SecretRowProps {
  secret: WebhookSecretView;
  ownersOnly: string | null;
  removeReason: string | null;
  onSwitch: () => void;
  onRemove: () => void;
}

function SecretRow({ secret, ownersOnly, removeReason, onSwitch, onRemove }: SecretRowProps) {
  const isActive = secret.state === 'active';
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="flex min-w-0 flex-col gap-1">
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Badge tone={isActive ? 'good' : 'warn'}>{isActive ? secretTexts.active : secretTexts.pending}</Badge>
          <span className="text-sm text-ink-faint">
            {isActive ? secretTexts.since : secretTexts.created}{' '}
            <ZonedTime at={secret.activatedAt ?? secret.createdAt} />
          </span>
        </span>
        <span className="text-sm text-ink-soft">{isActive ? secretTexts.activeText : secretTexts.pendingText}</span>
      </div>
      <div className="flex gap-2">
        {!isActive && (
          <Button size="small" look="primary" disabledReason={ownersOnly} onClick={onSwitch}>
            {secretTexts.switch}
          </Button>
        )}
        <Button
          size="small"
          look="quiet"
          aria-label={secretTexts.removeThing(secret.state)}
          disabledReason={removeReason}
          onClick={onRemove}
        >
          {secretTexts.remove}
        </Button>
      </div>
    </li>
  );
}

function RemoveDialog({ secret, onClose }: { secret: WebhookSecretView; onClose: () => void }) {
  const isActive = secret.state === 'active';
  return (
    <RevokeDialog
      what="secret"
      id={secret.secretId}
      title={isActive ? secretTexts.removeActiveTitle : secretTexts.removePendingTitle}
      consequence={isActive ? secretTexts.removeActiveText : secretTexts.removePendingText}
      confirmLabel={secretTexts.remove}
      doneText={secretTexts.removed}
      onClose={onClose}
    />
  );
}
