import { Download } from 'lucide-react';
import { useState } from 'react';
import { commonTexts } from '../../texts/everywhere.ts';
import { Banner } from '../banner.tsx';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { Dialog } from './dialog.tsx';

export interface SecretOnceProps {
  title: string;
  /** Optional explanation of why it is shown. */
  note?: string;
  /** One line each: a label and its value. */
  secrets: readonly { label: string; value: string }[];
  fileName: string;
  onClose: () => void;
}

/** Shows a secret that cannot be shown again: copy, download, and a deliberate step to close. */
export function SecretOnce({ title, note, secrets, fileName, onClose }: SecretOnceProps) {
  const [isKept, setIsKept] = useState(false);
  return (
    <Dialog
      title={title}
      description={note}
      isOpen
      isSticky
      onClose={onClose}
      actions={
        <>
          <Button icon={<Download aria-hidden className="size-4" />} onClick={() => download(fileName, secrets)}>
            {commonTexts.download}
          </Button>
          <Button look="primary" disabledReason={isKept ? null : commonTexts.confirmFirst} onClick={onClose}>
            {commonTexts.done}
          </Button>
        </>
      }
    >
      <Banner tone="warn">{commonTexts.shownOnce}</Banner>
      <dl className="flex flex-col gap-4">
        {secrets.map(({ label, value }) => (
          <div key={label} className="flex flex-col gap-1.5">
            <dt className="text-sm font-medium">{label}</dt>
            <dd className="flex items-center gap-2">
              <code className="min-w-0 flex-1 rounded-md border bg-sunken px-3 py-2 font-mono text-sm break-all">
                {value}
              </code>
              <CopyButton text={value} of={label} />
            </dd>
          </div>
        ))}
      </dl>
      <label className="flex items-center gap-2.5">
        <input
          type="checkbox"
          className="size-4 accent-ink"
          checked={isKept}
          onChange={(event) => setIsKept(event.target.checked)}
        />
        {commonTexts.confirmSaved}
      </label>
    </Dialog>
  );
}

function download(fileName: string, secrets: SecretOnceProps['secrets']): void {
  const text = secrets.map(({ label, value }) => `${label}: ${value}\n`).join('');
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
