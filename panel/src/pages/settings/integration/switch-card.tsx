import { useState } from 'react';
import type { IntegrationAnswer } from '../../../../../src/contract/panel/restaurants/integration.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useSwitchIntegration } from '../../../api/restaurants/integration.ts';
import { classes } from '../../../ui/class-names.ts';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { integrationTexts, urlTexts } from '../../../texts/webhooks/integration.ts';
import { useOwnersOnly } from '../settings-frame.tsx';

export function SwitchCard({ integration }: { integration: IntegrationAnswer }) {
  const [isAsking, setIsAsking] = useState(false);
  const ownersOnly = useOwnersOnly();
  const { isEnabled, restaurantId, rate } = integration;
  return (
    <Card title={integrationTexts.switchTitle}>
      <div className="flex flex-col gap-5">
        <Switch
          label={integrationTexts.switchLabel}
          hint={integrationTexts.switchHint}
          isOn={isEnabled}
          disabledReason={ownersOnly}
          onChange={() => setIsAsking(true)}
        />
        <div className="grid gap-5 border-t pt-5 sm:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-1">
            <span className="text-sm font-medium">{integrationTexts.restaurantId}</span>
            <span className="flex items-center gap-2">
              <code className="min-w-0 font-mono break-all">{restaurantId}</code>
              <CopyButton text={restaurantId} of={integrationTexts.copyId} look="quiet" />
            </span>
            <span className="text-sm text-ink-faint">{integrationTexts.restaurantIdHint}</span>
          </div>
          <RateUse rate={rate} />
        </div>
      </div>
      {isAsking && <SwitchDialog integration={integration} onClose={() => setIsAsking(false)} />}
    </Card>
  );
}

function RateUse({ rate }: { rate: IntegrationAnswer['rate'] }) {
  const share = Math.min(1, rate.used / rate.limitPerMinute);
  const text = integrationTexts.rateUse(rate.used, rate.limitPerMinute);
  return (
    <div className="flex flex-col gap-1.5">
      <span className="flex items-baseline justify-between gap-3">
        <span className="text-sm font-medium">{integrationTexts.rateLimit}</span>
        <span className="tabular">{text}</span>
      </span>
      <div
        role="meter"
        aria-label={integrationTexts.rateLimit}
        aria-valuemin={0}
        aria-valuemax={rate.limitPerMinute}
        aria-valuenow={Math.min(rate.used, rate.limitPerMinute)}
        aria-valuetext={text}
        className="h-2 overflow-hidden rounded-full bg-sunken"
      >
        <div
          className={classes('h-full rounded-full transition-[width]', share >= 0.8 ? 'bg-warn' : 'bg-good')}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <span className="text-sm text-ink-faint">{integrationTexts.rateHint}</span>
    </div>
  );
}

function SwitchDialog({ integration, onClose }: { integration: IntegrationAnswer; onClose: () => void }) {
  const { isEnabled, endpoints } = integration;
  const change = useSwitchIntegration();
  // Only deliveries with a URL are sent.
  const held = Object.values(endpoints).reduce((sum, { url, heldCount }) => sum + (url === null ? 0 : heldCount), 0);
  const confirm = (): void =>
    change.mutate(
      { isEnabled: !isEnabled, sendsHeld: held > 0 },
      {
        onSuccess: ({ released }) => {
          if (isEnabled) showToast(integrationTexts.disabled);
          else showToast(released === 0 ? integrationTexts.enabled : urlTexts.savedAndSent(released));
          onClose();
        },
      },
    );
  const enableLabel = held === 0 ? integrationTexts.enable : integrationTexts.enableAndSend(held);
  return (
    <ConfirmDialog
      title={isEnabled ? integrationTexts.disableTitle : integrationTexts.enableTitle}
      consequence={isEnabled ? integrationTexts.disableText : integrationTexts.enableText(held)}
      confirmLabel={isEnabled ? integrationTexts.disable : enableLabel}
      isDangerous={isEnabled}
      isOpen
      isBusy={change.isPending}
      problem={change.isError ? toApiError(change.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
