import { useState } from 'react';
import { SUGGESTED_KEY_DAYS } from '../../../../../src/contract/panel/restaurants/integration.ts';
import { useCreateKey } from '../../../api/restaurants/integration.ts';
import { Banner } from '../../../ui/banner.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { apiKeyTexts } from '../../../texts/webhooks/integration.ts';

const LIFETIMES = ['30', '90', '180', '365', 'never'] as const;
const OPTIONS = LIFETIMES.map((value) => ({ value, label: apiKeyTexts.lifetimes[value] }));
type Lifetime = (typeof LIFETIMES)[number];

export function NewKeyDialog({ onCreated, onClose }: { onCreated: (apiKey: string) => void; onClose: () => void }) {
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const create = useCreateKey();
  const submit = (): void =>
    create.mutate(lifetime === 'never' ? null : Number(lifetime), {
      onSuccess: ({ apiKey }) => {
        onClose();
        onCreated(apiKey);
      },
    });
  return (
    <FormDialog
      title={apiKeyTexts.createTitle}
      description={apiKeyTexts.createText}
      submitLabel={apiKeyTexts.createButton}
      isBusy={create.isPending}
      problem={create.error?.message}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label={apiKeyTexts.lifetime}
        hint={apiKeyTexts.lifetimeHint(SUGGESTED_KEY_DAYS)}
        options={OPTIONS}
        value={lifetime}
        onChange={setLifetime}
      />
      {lifetime === 'never' && <Banner tone="warn">{apiKeyTexts.neverWarning}</Banner>}
    </FormDialog>
  );
}
