import { toApiError } from '../../../api/api-error.ts';
import { useSwitchMetadata } from '../../../api/restaurants/integration.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { metadataTexts } from '../../../texts/webhooks/integration.ts';
import { useOwnersOnly } from '../settings-frame.tsx';

export function MetadataCard({ isOn }: { isOn: boolean }) {
  const change = useSwitchMetadata();
  const ownersOnly = useOwnersOnly();
  return (
    <Card title={metadataTexts.title}>
      <Switch
        label={metadataTexts.label}
        hint={metadataTexts.hint}
        isOn={change.isPending ? change.variables : isOn}
        disabledReason={ownersOnly}
        onChange={(next) =>
          change.mutate(next, { onSuccess: () => showToast(next ? metadataTexts.on : metadataTexts.off) })
        }
      />
      {change.isError && (
        <Banner tone="danger" className="mt-4">
          {toApiError(change.error).message}
        </Banner>
      )}
    </Card>
  );
}
