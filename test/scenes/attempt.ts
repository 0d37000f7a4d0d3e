// A recorded attempt that delivered its webhook.
import type { AttemptRecord } from '../../src/store/webhooks/attempts.ts';
import { NO_CONNECTION } from '../../src/webhooks/client/attempt-outcome.ts';

export function attemptRecord(differing: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    eventId: '00000000-0000-7000-8000-000000000001',
    restaurantId: '00000000-0000-7000-8000-000000000002',
    endpoint: 'status',
    number: 1,
    delivered: true,
    failures: 0,
    nextAttemptAt: null,
    url: 'https://receiver.example/status',
    secretId: null,
    metadataAt: null,
    startedAt: 0,
    endedAt: 1,
    status: 200,
    errorClass: null,
    errorText: null,
    ...NO_CONNECTION,
    firstByteMs: 1,
    totalMs: 1,
    ...differing,
  };
}
