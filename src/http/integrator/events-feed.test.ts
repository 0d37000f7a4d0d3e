import { expect, test } from 'vitest';
import { startService } from '../../../harness/service/service.ts';
import { eventsAnswerSchema } from '../../contract/integrator/answers.ts';
import { makeCursor, readCursor } from './events-feed.ts';

test('the feed returns every event once, in commit order, byte for byte as in the webhooks', async () => {
  const service = await startService();
  try {
    const restaurant = await service.addRestaurant({ autoApprove: true });
    const other = await service.addRestaurant({ autoApprove: true });
    for (const orderId of ['A1', 'A2', 'A3']) await service.post(restaurant, { orderId });
    await service.post(other, { orderId: 'B1' });
    const found = [];
    let after = '';
    for (;;) {
      const answer = await service.get(restaurant, `events?limit=2${after && `&after=${after}`}`);
      expect(answer.status).toBe(200);
      const text = await answer.text();
      const page = eventsAnswerSchema.strict().parse(JSON.parse(text));
      for (const entry of page.events) expect(text).toContain(JSON.stringify(entry.event));
      found.push(...page.events.map(({ event }) => event.orderId));
      after = page.nextCursor ?? '';
      if (!page.hasMore) break;
    }
    expect(found).toEqual(['A1', 'A2', 'A3']);
    // At the end of the feed the cursor stays the same, and later finds new events.
    const end = await service.get(restaurant, `events?after=${after}`);
    expect(await end.json()).toEqual({ events: [], nextCursor: after, hasMore: false });
    await service.post(restaurant, { orderId: 'A4' });
    const later = eventsAnswerSchema.parse(await (await service.get(restaurant, `events?after=${after}`)).json());
    expect(later.events.map(({ event }) => event.orderId)).toEqual(['A4']);
    const strange = await service.get(restaurant, 'events?after=abc');
    expect([strange.status, await strange.json()]).toMatchObject([
      422,
      { code: 'REQ_004', details: [{ field: 'after' }] },
    ]);
    for (const limit of ['0', '501', '-1', '1e2', '']) {
      expect([limit, (await service.get(restaurant, `events?limit=${limit}`)).status]).toEqual([limit, 422]);
    }
  } finally {
    await service.stop();
  }
});

test('only cursors issued by the feed are accepted', () => {
  const epochs = [null, '0195515e-19c4-7f02-8a11-6b0d9e3f5c21'];
  for (const sequence of [0, 1, 12_345, 999_999_999_999_999]) {
    for (const epochId of epochs) {
      expect(readCursor(makeCursor({ epochId, sequence }))).toEqual({ epochId, sequence });
    }
  }
  // The format from before there were epochs.
  expect(makeCursor({ epochId: null, sequence: 1042 })).toBe('d2IxOjEwNDI');
  const given = makeCursor({ epochId: null, sequence: 1 });
  const strange = [
    '',
    '1',
    'abc',
    Buffer.from('wb1:-1').toString('base64url'),
    Buffer.from('wb1:01').toString('base64url'),
    Buffer.from('wb2:1').toString('base64url'),
    Buffer.from('wb2:not-an-epoch:1').toString('base64url'),
  ];
  for (const cursor of [...strange, `${given}=`, `${given}A`]) expect(readCursor(cursor)).toBeUndefined();
});
