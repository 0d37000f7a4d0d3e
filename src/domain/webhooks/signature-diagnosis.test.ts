import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { diagnoseSignature, SIGNATURE_CAUSES, type SignatureCause } from './signature-diagnosis.ts';

const sign = (body: string, key: string | Uint8Array) => createHmac('sha256', key).update(body).digest('hex');
const TOOLS = {
  sign,
  decodeBase64: (text: string) => Buffer.from(text, 'base64'),
  hexToBase64: (hex: string) => Buffer.from(hex, 'hex').toString('base64'),
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const pendingSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const value = { orderId: 'Ş-1', event: 'order.canceled', reason: 'Müşteri' };
const body = JSON.stringify(value);
const good = sign(body, secret);

const diagnose = (received: string, read = body) =>
  diagnoseSignature({ body: read, received, secret, pendingSecret }, TOOLS);

test('a matching signature has no mismatch cause', () => {
  expect(diagnose(good)).toEqual({ expected: good, isMatch: true, differsAt: null, causes: [] });
});

/** What the receiver computed, and the body that it claims to have used. */
const CASES: [SignatureCause, string, string?][] = [
  ['reserialised', good, `{ "orderId": "Ş-1",\n "event": "order.canceled", "reason": "Müşteri" }`],
  ['indented', sign(JSON.stringify(value, null, 2), secret)],
  ['spaced', sign('{"orderId": "Ş-1", "event": "order.canceled", "reason": "Müşteri"}', secret)],
  ['sorted-keys', sign('{"event":"order.canceled","orderId":"Ş-1","reason":"Müşteri"}', secret)],
  [
    'escaped-letters',
    sign(
      body.replaceAll(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
      secret,
    ),
  ],
  ['newline-added', sign(`${body}\n`, secret)],
  ['newline-removed', good, `${body}\n`],
  ['carriage-returns', sign('{\r\n}', secret), '{\n}'],
  ['byte-order-mark', sign(`\uFEFF${body}`, secret)],
  ['empty-body', sign('', secret)],
  ['pending-secret', sign(body, pendingSecret)],
  ['secret-without-prefix', sign(body, secret.slice('whsec_'.length))],
  ['secret-decoded', sign(body, Buffer.from(secret.slice('whsec_'.length), 'base64'))],
  ['secret-with-newline', sign(body, `${secret}\n`)],
  ['header-upper-case', good.toUpperCase()],
  ['header-prefixed', `sha256=${good}`],
  ['header-base64', Buffer.from(good, 'hex').toString('base64')],
  ['header-spaces', ` ${good}`],
  ['header-missing', ''],
  ['header-malformed', 'abc'],
  ['unknown', sign(body, 'whsec_another')],
];

test.each(CASES)('%s is recognized', (cause, received, read) => {
  const diagnosis = diagnose(received, read);
  expect(diagnosis).toMatchObject({ isMatch: false, causes: [cause] });
  expect(diagnosis.expected).toBe(sign(read ?? body, secret));
});

test('every cause has a test case', () => {
  expect(CASES.map(([cause]) => cause).toSorted()).toEqual([...SIGNATURE_CAUSES].toSorted());
});

test('two simultaneous causes are both reported', () => {
  expect(diagnose(`sha256=${sign(`${body}\n`, pendingSecret)}`).causes).toEqual([
    'header-prefixed',
    'pending-secret',
    'newline-added',
  ]);
});

test('reports where two values begin to differ', () => {
  expect(diagnose(`${good.slice(0, 10)}x${good.slice(11)}`).differsAt).toBe(10);
  expect(diagnose(good.slice(0, 5)).differsAt).toBe(5);
});
