// The headers of an attempt: those of contract 4.2, and more only if the restaurant enabled delivery metadata.
// Spelled as in the documentation, because some receivers treat header names as case-sensitive.
import type { Instant } from '../../domain/time.ts';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import { signBody, signStandard } from './sign.ts';
import type { Target } from './targets.ts';

type Sent = Pick<Delivery, 'eventId' | 'attempts' | 'version' | 'body'>;
type Signing = Pick<Target, 'secret' | 'hasMetadata'>;

export function headersFor(delivery: Sent, target: Signing, now: Instant): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (target.secret !== null) headers['X-Service-Signature'] = signBody(delivery.body, target.secret);
  if (target.hasMetadata) Object.assign(headers, metadataFor(delivery, target, now));
  return headers;
}

function metadataFor(delivery: Sent, target: Signing, now: Instant): Record<string, string> {
  const seconds = String(Math.floor(now / 1000));
  const metadata: Record<string, string> = {
    'X-Waybill-Event-Id': delivery.eventId,
    'X-Waybill-Attempt': String(delivery.attempts + 1),
    'X-Waybill-Sequence': String(delivery.version),
    'webhook-id': delivery.eventId,
    'webhook-timestamp': seconds,
  };
  if (target.secret !== null) {
    metadata['webhook-signature'] = signStandard(`${delivery.eventId}.${seconds}.${delivery.body}`, target.secret);
  }
  return metadata;
}
