// Loaded after the page itself: nothing waits for it.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { WebhookHealth } from '../../../src/contract/panel/webhook-health.ts';
import { webhookHealthQuery } from '../api/webhooks.ts';
import { Banner } from '../components/banner.tsx';
import { buttonClasses } from '../components/button.tsx';
import { useNow } from '../components/now.ts';
import { RelativeTime, ZonedTime } from '../components/times.tsx';
import { paths } from '../paths.ts';
import { failingTexts, webhookTexts } from '../texts/webhooks.ts';

const WATCH_MS = 10_000;

/** One banner for each endpoint that fails, above every page, until it answers again. */
export function FailingWebhooks() {
  const health = useQuery({ ...webhookHealthQuery, refetchInterval: WATCH_MS });
  const failing = health.data?.endpoints.filter(({ failingSince }) => failingSince !== null) ?? [];
  return failing.map((endpoint) => (
    <FailingEndpoint key={endpoint.endpoint} endpoint={endpoint} most={health.data?.mostCounted ?? 0} />
  ));
}

interface FailingEndpointProps {
  endpoint: WebhookHealth['endpoints'][number];
  most: number;
}

function FailingEndpoint({ endpoint, most }: FailingEndpointProps) {
  const { failingSince, nextAttemptAt, waiting, lastError } = endpoint;
  const now = useNow();
  return (
    <Banner
      tone="warn"
      className="rounded-none border-x-0 border-t-0"
      title={failingTexts.title(webhookTexts.endpoints[endpoint.endpoint])}
      actions={
        <Link {...paths.waitingWebhooks(endpoint.endpoint)} className={buttonClasses('secondary', 'small')}>
          {failingTexts.look}
        </Link>
      }
    >
      <span className="flex flex-wrap gap-x-3">
        {failingSince !== null && (
          <span>
            {failingTexts.since} <ZonedTime at={failingSince} />
          </span>
        )}
        {nextAttemptAt !== null && (
          <span>
            {Date.parse(nextAttemptAt) <= now ? (
              failingTexts.soon
            ) : (
              <>
                {failingTexts.next} <RelativeTime at={nextAttemptAt} />
              </>
            )}
          </span>
        )}
        {waiting > 0 && <span>{failingTexts.waiting(waiting, most)}</span>}
        {lastError !== null && <span>{lastError}</span>}
      </span>
    </Banner>
  );
}
