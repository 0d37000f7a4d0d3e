import { createHmac } from 'node:crypto';
import { request } from 'node:https';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../platform.ts';
import { issueReceiverCertificate, obtainAuthority } from './demo-authority.ts';
import { startDemoReceiver, type DemoReceiver } from './demo-receiver.ts';

const authority = obtainAuthority({ memory: { logins: {} }, remember: async () => undefined }, Date.now());

let receiver: DemoReceiver;

async function start(preferredPort?: number): Promise<DemoReceiver> {
  const certificate = await issueReceiverCertificate(await authority, Date.now());
  return startDemoReceiver({ clock: systemClock, certificate, preferredPort });
}

beforeEach(async () => {
  receiver = await start();
  return () => receiver.close();
});

interface Given {
  status: number;
  body: unknown;
}

async function post(body: string, signature?: string, method = 'POST'): Promise<Given> {
  const ca = (await authority).certificatePem;
  const headers = signature === undefined ? {} : { 'x-service-signature': signature };
  return new Promise((resolve, reject) => {
    const asked = request(`${receiver.origin}/waybill-demo/status`, { method, ca, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    asked.on('error', reject).end(body);
  });
}

const sign = (body: string, secret: string) => createHmac('sha256', secret).update(body).digest('hex');
const BODY = JSON.stringify({ event: 'order.status_changed', orderId: 'Ş-1', status: 'ROUTED' });

describe('a webhook', () => {
  test('with a valid signature is verified and answered with 200', async () => {
    receiver.knowSecret(async () => 'right');
    expect(await post(BODY, sign(BODY, 'right'))).toEqual({ status: 200, body: { received: true } });
    expect(receiver.listReceived()).toMatchObject([{ signature: 'verified', orderId: 'Ş-1', body: BODY }]);
  });

  test('with an invalid signature is answered with 401 and shown as invalid', async () => {
    receiver.knowSecret(async () => 'right');
    expect(await post(BODY, sign(BODY, 'wrong'))).toMatchObject({ status: 401 });
    expect(await post(`${BODY} `, sign(BODY, 'right'))).toMatchObject({ status: 401 });
    expect(receiver.listReceived().map((webhook) => webhook.signature)).toEqual(['wrong', 'wrong']);
  });

  test('without a signature is accepted and shown as unsigned', async () => {
    expect(await post(BODY)).toMatchObject({ status: 200 });
    expect(receiver.listReceived()).toMatchObject([{ signature: 'absent' }]);
  });

  test('that was received before is recognized as a duplicate', async () => {
    await post(BODY);
    await post(BODY);
    expect(receiver.listReceived().map((webhook) => webhook.isRepeated)).toEqual([false, true]);
  });
});

test('a rotated secret is detected', async () => {
  let secret = 'old';
  receiver.knowSecret(async () => secret);
  await post(BODY, sign(BODY, 'old'));
  secret = 'new';
  await post(BODY, sign(BODY, 'new'));
  expect(receiver.listReceived().map((webhook) => webhook.signature)).toEqual(['verified', 'verified']);
});

test('the receiver keeps a bounded number of webhooks', async () => {
  for (let count = 0; count < 310; count += 1) await post(`${count}`);
  expect(receiver.listReceived()).toHaveLength(300);
  expect(receiver.listReceived().at(-1)?.id).toBe(310);
});

test('the receiver reports its health as the contract recommends', async () => {
  expect(await post('', undefined, 'GET')).toMatchObject({ status: 200, body: { status: 'ok' } });
});

describe('a second receiver', () => {
  let second: DemoReceiver | undefined;
  afterEach(() => second?.close());

  test('uses the remembered port if it is free and another port otherwise', async () => {
    second = await start(receiver.port);
    expect(second.port).not.toBe(receiver.port);
    const { port } = second;
    await second.close();
    second = await start(port);
    expect(second.port).toBe(port);
  });
});
