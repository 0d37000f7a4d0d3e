// The live check of a URL: first its name and certificates, then one event, sent exactly as webhooks are sent. Nothing
// is recorded; the result is returned to the caller.
import type { Clock } from '../../platform.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import type { EndpointInspection } from '../dial/inspect.ts';
import { headersFor } from './request-headers.ts';
import type { Sender } from './sender.ts';

interface EndpointCheckRequest {
  url: string;
  eventId: string;
  body: string;
  /** Null: unsigned. */
  secret: string | null;
  hasMetadata: boolean;
}

interface EndpointCheck {
  inspection: EndpointInspection;
  /** Null if the endpoint cannot be reached, so nothing was sent. */
  sent: { headers: Record<string, string>; outcome: AttemptOutcome } | null;
}

export async function checkEndpoint(
  deps: { sender: Pick<Sender, 'inspect' | 'send'>; clock: Clock },
  { url, eventId, body, secret, hasMetadata }: EndpointCheckRequest,
): Promise<EndpointCheck> {
  const inspection = await deps.sender.inspect(url);
  if (!inspection.ok) return { inspection, sent: null };
  const headers = headersFor({ eventId, body, attempts: 0, version: 0 }, { secret, hasMetadata }, deps.clock.now());
  return { inspection, sent: { headers, outcome: await deps.sender.send({ url, body, headers }) } };
}
