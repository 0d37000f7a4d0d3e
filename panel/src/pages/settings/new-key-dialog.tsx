import { useState } from 'react';
import { SUGGESTED_KEY_DAYS } from '../../../../src/contract/panel/integration.ts';
import { toApiError } from '../../api/api-error.ts';
import { useCreateKey } from '../../api/integration.ts';
import { Banner } from '../../components/banner.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Select } from '../../components/select.tsx';
import { commonTexts } from '../../texts/everywhere.ts';
import { apiKeyTexts } from '../../texts/integration.ts';

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
    <Dialog
      title={apiKeyTexts.createTitle}
      description={apiKeyTexts.createText}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{commonTexts.cancel}</Button>
          <Button look="primary" isBusy={create.isPending} onClick={submit}>
            {apiKeyTexts.createButton}
          </Button>
        </>
      }
    >
      <Select
        label={apiKeyTexts.lifetime}
        hint={apiKeyTexts.lifetimeHint(SUGGESTED_KEY_DAYS)}
        options={OPTIONS}
        value={lifetime}
        onChange={setLifetime}
      />
      {lifetime === 'never' && <Banner tone="warn">{apiKeyTexts.neverWarning}</Banner>}
      {create.isError && <Banner tone="danger">{toApiError(create.error).message}</Banner>}
    </Dialog>
  );
}
