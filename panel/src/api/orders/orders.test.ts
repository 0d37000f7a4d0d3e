import { expect, test } from 'vitest';
import type { TimelineDelivery } from '../../../../src/contract/panel/orders/timeline.ts';
import { timelineWatchMs } from './orders.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

function delivery(state: TimelineDelivery['state'], nextAttemptAt: string | null = null): TimelineDelivery {
  return { eventId: '', type: '', endpoint: 'status', state, attempts: 1, nextAttemptAt, body: '' };
}

test.for([
  { of: [], watchMs: false },
  { of: [delivery('delivered'), delivery('discarded')], watchMs: false },
  { of: [delivery('delivered'), delivery('held')], watchMs: 3000 },
  { of: [delivery('delivered'), delivery('waiting', '2026-11-15T12:01:00Z')], watchMs: 3000 },
  { of: [delivery('waiting', '2026-11-15T12:01:00Z'), delivery('waiting', '2026-11-15T12:00:00Z')], watchMs: 1000 },
  { of: [delivery('sending', '2026-11-15T12:01:00Z')], watchMs: 1000 },
] as const)('attempts are polled while more are expected, and often while one is due: $watchMs', ({ of, watchMs }) => {
  expect(timelineWatchMs(of, NOW)).toBe(watchMs);
});
