import { expect, test } from 'vitest';
import { keepNewest, type KnownWork } from './courier.ts';

function workAt(now: string, stops: KnownWork['stops'] = []): KnownWork {
  const courier = { id: 'c', name: 'Ada', phone: null, vehicle: 'BICYCLE', capacity: 4, onDuty: true, photoAt: null };
  return { courier, shiftEndsAt: null, offers: [], stops, now, isKept: false, clockOffsetMs: 250 } as KnownWork;
}

test('offline, the page keeps the newest answer it has seen over an older cached one', () => {
  const seen = workAt('2026-11-15T12:00:09Z');
  const kept = {
    ...workAt('2026-11-15T12:00:00Z', [{ orderId: 'delivered' } as KnownWork['stops'][number]]),
    isKept: true,
  };
  expect(keepNewest(kept, seen)).toEqual({ ...seen, isKept: true });
  expect(keepNewest(kept, undefined)).toEqual({ ...kept, clockOffsetMs: 0 });
});

test('an answer from the service replaces the shown state and sets the clock offset', () => {
  const answer = workAt(new Date(Date.now() + 60_000).toISOString());
  const { clockOffsetMs, ...work } = keepNewest(answer, workAt('2026-11-15T12:00:00Z'));
  expect(work).toMatchObject({ now: answer.now, isKept: false });
  expect(clockOffsetMs).toBeGreaterThan(50_000);
});
