import { expect, test } from 'vitest';
import { readCancelRequest, readEventsQuery, readIntakeQuery } from './requests.ts';

test.each([
  [{}, false],
  [{ dryRun: 'false' }, false],
  [{ dryRun: 'true' }, true],
])('the intake query %j is accepted', (query, dryRun) => {
  expect(readIntakeQuery(query)).toEqual({ ok: true, value: { dryRun } });
});

test.each([['1'], ['TRUE'], [''], [['true', 'false']], [null]])(
  'dryRun=%j is refused, for it could mean a courier',
  (dryRun) => {
    expect(readIntakeQuery({ dryRun })).toMatchObject({
      ok: false,
      refusal: { code: 'REQ_004', details: [{ field: 'dryRun' }] },
    });
  },
);

test.each(['dryrun', 'dry_run', 'DRYRUN', 'dry-run'])('%s is refused instead of placing a real order', (name) => {
  expect(readIntakeQuery({ [name]: 'true' })).toMatchObject({
    ok: false,
    refusal: { code: 'REQ_004', details: [{ field: name }] },
  });
});

test.each([
  [{}, { after: undefined, limit: 100 }],
  [{ limit: '1' }, { after: undefined, limit: 1 }],
  [
    { after: 'abc_-=.1', limit: '500' },
    { after: 'abc_-=.1', limit: 500 },
  ],
])('the events query %j is accepted', (query, value) => {
  expect(readEventsQuery(query)).toEqual({ ok: true, value });
});

test.each([
  [{ limit: '0' }, 'limit'],
  [{ limit: '501' }, 'limit'],
  [{ limit: '1e2' }, 'limit'],
  [{ limit: '-1' }, 'limit'],
  [{ limit: ['1', '2'] }, 'limit'],
  [{ after: '' }, 'after'],
  [{ after: "1' or 1=1" }, 'after'],
  [{ after: ['a', 'b'] }, 'after'],
  [{ after: 'x'.repeat(201) }, 'after'],
])('the events query %j is rejected', (query, field) => {
  expect(readEventsQuery(query)).toMatchObject({ ok: false, refusal: { code: 'REQ_004', details: [{ field }] } });
});

test('every restaurant cancellation reason is accepted, with or without a comment', () => {
  for (const cancelReasonId of ['CUSTOMER_REQUEST', 'OUT_OF_STOCK', 'OTHER']) {
    expect(readCancelRequest({ cancelReasonId })).toEqual({ ok: true, value: { cancelReasonId } });
  }
  expect(readCancelRequest({ cancelReasonId: 'OTHER', reason: 'Fire' })).toMatchObject({ value: { reason: 'Fire' } });
});

test.each([
  [null, 'body'],
  [[], 'body'],
  [{}, 'cancelReasonId'],
  [{ cancelReasonId: 'WRONG_ADDRESS' }, 'cancelReasonId'],
  [{ cancelReasonId: 'COURIER_NOT_AVAILABLE' }, 'cancelReasonId'],
  [{ cancelReasonId: 'OTHER', reason: 7 }, 'reason'],
  [{ cancelReasonId: 'OTHER', reason: 'x'.repeat(501) }, 'reason'],
])('the cancel request %j is rejected', (body, field) => {
  expect(readCancelRequest(body)).toMatchObject({ ok: false, refusal: { code: 'REQ_004', details: [{ field }] } });
});
