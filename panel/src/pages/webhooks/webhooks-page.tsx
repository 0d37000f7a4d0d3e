import { useNavigate, useSearch } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/content/page.tsx';
import { Tabs } from '../../ui/content/tabs.tsx';
import { webhookLogTexts, webhookTexts } from '../../texts/webhooks/webhooks.ts';
import { FiguresTab } from './figures-tab.tsx';
import { LogTab } from './log-tab.tsx';
import { ReceiverTab } from './receiver-tab.tsx';
import { ResendFailedDialog } from './resend-failed-dialog.tsx';
import { SignatureTab } from './signature-tab.tsx';

type TabName = keyof typeof webhookTexts.tabs;

export function WebhooksPage() {
  const { tab } = useSearch({ from: '/app/restaurant/webhooks' });
  const navigate = useNavigate();
  const [isResending, setIsResending] = useState(false);
  const chosen: TabName = tab === 'figures' || tab === 'signature' || tab === 'receiver' ? tab : 'log';
  return (
    <Page
      title={webhookTexts.title}
      description={webhookTexts.description}
      actions={
        <Button icon={<RotateCw aria-hidden className="size-4" />} onClick={() => setIsResending(true)}>
          {webhookLogTexts.resendFailed}
        </Button>
      }
    >
      <Tabs<TabName>
        label={webhookTexts.title}
        value={chosen}
        onChange={(value) => void navigate({ to: '/webhooks', search: value === 'log' ? {} : { tab: value } })}
        tabs={[
          { value: 'log', label: webhookTexts.tabs.log, content: <LogTab /> },
          { value: 'figures', label: webhookTexts.tabs.figures, content: <FiguresTab /> },
          { value: 'signature', label: webhookTexts.tabs.signature, content: <SignatureTab /> },
          { value: 'receiver', label: webhookTexts.tabs.receiver, content: <ReceiverTab /> },
        ]}
      />
      {isResending && <ResendFailedDialog onClose={() => setIsResending(false)} />}
    </Page>
  );
}
