// The headers of an attempt: those of contract 4.2, and more only if the restaurant enabled delivery metadata.
// Spelled as in the documentation, because some receivers treat header names as case-sensitive.
import { createHmac } from 'node:crypto';
import type { Instant } from '../../domain/time.ts';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import { signBody } from './sign.ts';
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
    const signed = `${delivery.eventId}.${seconds}.${delivery.body}`;
    metadata['webhook-signature'] =
      `v1,${createHmac('sha256', standardKey(target.secret)).update(signed).digest('base64')}`;
  }
  return metadata;
}

// Standard Webhooks libraries decode a secret as base64 after its prefix; the contract's own signature uses it as text.
function standardKey(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}
