// Baseline for the delivery: default undici in a loop that creates, signs and posts bodies, and stores nothing.
import { createHmac, randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { answerParent } from './messages.ts';
import { monotonicMs } from '../../harness/measure/monotonic.ts';

export interface LoopWork {
  url: string;
  caPem: string;
  secret: string;
  count: number;
  connections: number;
}

const commands = {
  async run(work: LoopWork): Promise<{ startedAtMs: number }> {
    const { origin, pathname } = new URL(work.url);
    const pool = new Pool(origin, { connections: work.connections, connect: { ca: work.caPem } });
    const startedAtMs = monotonicMs();
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < work.count) {
        next += 1;
        const body = makeBody(next);
        const signature = createHmac('sha256', work.secret).update(body).digest('hex');
        const answer = await pool.request({
          path: pathname,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-service-signature': signature },
          body,
        });
        await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`the receiver responded with ${answer.statusCode}`);
      }
    };
    await Promise.all(Array.from({ length: work.connections }, lane));
    await pool.close();
    return { startedAtMs };
  },
};

export type LoopCommands = typeof commands;

function makeBody(index: number): string {
  return JSON.stringify({
    event: 'order.status_changed',
    orderId: `bench-id-00000000-${String(index).padStart(10, '0')}`,
    serviceOrderId: randomUUID(),
    orderNumber: String(100_001 + index),
    status: 'VALIDATED',
    previousStatus: 'NEW',
    timestamp: '2026-03-01T12:00:00.123+03:00',
    provider: 'THIRD_PARTY',
    providerRestaurantId: 'bench-restaurant-0',
  });
}

answerParent(commands);
