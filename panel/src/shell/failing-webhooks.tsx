// Loaded after the page, so that it delays nothing.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronDown, TriangleAlert } from 'lucide-react';
import type { WebhookHealth } from '../../../src/contract/panel/webhooks/health.ts';
import { webhookHealthQuery } from '../api/webhooks/webhooks.ts';
import { buttonClasses } from '../ui/button.tsx';
import { useNow } from '../ui/time/now.ts';
import { formatDuration, formatRelative } from '../ui/time/time-words.ts';
import { ZonedTime } from '../ui/time/times.tsx';
import { paths } from '../paths.ts';
import { failingTexts, webhookTexts } from '../texts/webhooks/webhooks.ts';

const WATCH_MS = 10_000;

type Endpoint = WebhookHealth['endpoints'][number];
type FailingEndpoint = Endpoint & { failingSince: string };

/** One line above every page while webhooks to any URL fail; it expands to show details. */
export function FailingWebhooks() {
  const health = useQuery({ ...webhookHealthQuery, refetchInterval: WATCH_MS });
  const failing = (health.data?.endpoints ?? []).filter(isFailing);
  if (failing.length === 0) return null;
  return (
    <details className="group/failing border-b text-warn tint tint-line">
      <summary className="flex items-center gap-3 px-4 py-2.5">
        <TriangleAlert aria-hidden className="size-4.5 shrink-0" />
        <SummaryLine failing={failing} />
        <span className="flex shrink-0 items-center gap-1 text-sm text-ink-soft">
          <span className="hidden sm:inline">{failingTexts.details}</span>
          <ChevronDown aria-hidden className="size-4 transition-transform group-open/failing:rotate-180" />
        </span>
      </summary>
      <ul className="flex flex-col gap-3 px-4 pb-3 sm:pl-11.5">
        {failing.map((endpoint) => (
          <EndpointLine key={endpoint.endpoint} endpoint={endpoint} most={health.data?.mostCounted ?? 0} />
        ))}
      </ul>
    </details>
  );
}

function isFailing(endpoint: Endpoint): endpoint is FailingEndpoint {
  return endpoint.failingSince !== null;
}

function SummaryLine({ failing }: { failing: readonly FailingEndpoint[] }) {
  const now = useNow();
  const names = failing.map(({ endpoint }) => webhookTexts.endpoints[endpoint]);
  const sinceMs = Math.min(...failing.map(({ failingSince }) => Date.parse(failingSince)));
  const nextMs = Math.min(...failing.map(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? '') || Infinity));
  return (
    <span className="min-w-0 flex-1 truncate text-ink">
      <span className="font-medium">{failingTexts.title(names)}</span>{' '}
      <span className="text-ink-soft">{failingTexts.duration(formatDuration(now - sinceMs))}</span>
      {nextMs < Infinity && <span className="ml-3 hidden text-ink-soft md:inline">{sayNext(nextMs, now)}</span>}
    </span>
  );
}

function sayNext(nextMs: number, now: number): string {
  return nextMs <= now ? failingTexts.soon : failingTexts.next(formatRelative(nextMs, now));
}

function EndpointLine({ endpoint, most }: { endpoint: FailingEndpoint; most: number }) {
  const { failingSince, nextAttemptAt, waiting, lastError } = endpoint;
  const now = useNow();
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
      <div className="min-w-0 text-sm text-ink-soft">
        <p className="font-medium text-ink">{failingTexts.endpoint(webhookTexts.endpoints[endpoint.endpoint])}</p>
        <p className="flex flex-wrap gap-x-3">
          <span>
            {failingTexts.since} <ZonedTime at={failingSince} />
          </span>
          {nextAttemptAt !== null && <span>{sayNext(Date.parse(nextAttemptAt), now)}</span>}
          {waiting > 0 && <span>{failingTexts.waiting(waiting, most)}</span>}
          {lastError !== null && <span>{lastError}</span>}
        </p>
      </div>
      <Link {...paths.waitingWebhooks(endpoint.endpoint)} className={buttonClasses('secondary', 'small')}>
        {failingTexts.view}
      </Link>
    </li>
  );
}
