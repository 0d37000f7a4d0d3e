import { useQuery } from '@tanstack/react-query';
import type { IntegrationAnswer } from '../../../../../src/contract/panel/restaurants/integration.ts';
import { integrationQuery } from '../../../api/restaurants/integration.ts';
import { Banner } from '../../../ui/banner.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { SkeletonRows } from '../../../ui/content/skeleton.tsx';
import { apiKeyTexts, integrationTexts, urlTexts } from '../../../texts/webhooks/integration.ts';
import { ApiKeyCard } from './api-key-card.tsx';
import { BasicAuthCard } from './basic-auth-card.tsx';
import { MetadataCard } from './metadata-card.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { SwitchCard } from './switch-card.tsx';
import { WebhookSecretCard } from './webhook-secret-card.tsx';
import { WebhookUrlsCard } from './webhook-urls-card.tsx';

export function IntegrationPage() {
  const integration = useQuery(integrationQuery);
  return (
    <SettingsFrame title={integrationTexts.title} description={integrationTexts.description}>
      {integration.isPending && <Loading />}
      {integration.isError && integration.data === undefined && (
        <Card>
          <ErrorState error={integration.error} onRetry={() => void integration.refetch()} />
        </Card>
      )}
      {integration.data !== undefined && <Sections integration={integration.data} />}
    </SettingsFrame>
  );
}

function Sections({ integration }: { integration: IntegrationAnswer }) {
  return (
    <>
      {!integration.isEnabled && (
        <Banner tone="warn" title={integrationTexts.offTitle}>
          {integrationTexts.offText}
        </Banner>
      )}
      <SwitchCard integration={integration} />
      <ApiKeyCard keys={integration.apiKeys} />
      <BasicAuthCard credentials={integration.basicCredentials} />
      <WebhookSecretCard secrets={integration.webhookSecrets} statusUrl={integration.endpoints.status.url} />
      <WebhookUrlsCard endpoints={integration.endpoints} isEnabled={integration.isEnabled} />
      <MetadataCard isOn={integration.hasDeliveryMetadata} />
    </>
  );
}

function Loading() {
  return (
    <>
      {[integrationTexts.title, apiKeyTexts.title, urlTexts.title].map((title) => (
        <Card key={title} isFlush>
          <SkeletonRows count={3} />
        </Card>
      ))}
    </>
  );
}
