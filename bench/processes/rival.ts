// Shared by both competitors: the HTTP endpoint, the webhook and its signature. They do only what is compared (no
// restaurants, lifecycle, duplicate detection or webhook ordering), so each does less work than Waybill.
import { createHmac, randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { Pool } from 'undici';
import { formatWithOffset } from '../../src/domain/time.ts';
import { MAX_CONCURRENT } from '../../src/webhooks/queue/endpoint-queue.ts';

export interface RivalSetup {
  databaseUrl: string;
  webhookUrl: string;
  caPem: string;
  secret: string;
}

/** A queued job: the event as it will be sent. */
export interface RivalJob {
  body: string;
}

export interface RivalAttempt {
  status: number;
  startedAt: Date;
  totalMs: number;
}

/** The minimum log that a competitor needs to show what happened to an event. */
export const ATTEMPTS_TABLE = `
  create table attempts (
    id bigint primary key generated always as identity,
    job_id text not null,
    status integer not null,
    started_at timestamptz not null,
    total_ms real not null
  )`;

/** Responds once `enqueue` has made the event durable. */
export async function startIntake(enqueue: (job: RivalJob) => Promise<unknown>): Promise<string> {
  const app = Fastify();
  app.post<{ Body: { orderId: string; restaurantId: string } }>(
    '/webhook/third-party/order',
    async (request, reply) => {
      const { orderId, restaurantId } = request.body;
      const serviceOrderId = randomUUID();
      const body = JSON.stringify({
        event: 'order.status_changed',
        orderId,
        serviceOrderId,
        orderNumber: '100001',
        status: 'VALIDATED',
        previousStatus: 'NEW',
        timestamp: formatWithOffset(Date.now(), 'UTC'),
        provider: 'THIRD_PARTY',
        providerRestaurantId: restaurantId,
      });
      await enqueue({ body });
      return reply.code(201).send({ orderId, restaurantId, serviceOrderId });
    },
  );
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Posts a webhook once, with Waybill's concurrency limit per receiver. Throws on a non-2xx, which causes a retry. */
export function createPoster(setup: RivalSetup): (job: RivalJob) => Promise<RivalAttempt> {
  const { origin, pathname } = new URL(setup.webhookUrl);
  const pool = new Pool(origin, { connections: MAX_CONCURRENT, connect: { ca: setup.caPem }, headersTimeout: 5_000 });
  return async ({ body }) => {
    const startedAt = new Date();
    const signature = createHmac('sha256', setup.secret).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-service-signature': signature };
    const answer = await pool.request({ path: pathname, method: 'POST', headers, body });
    await answer.body.text();
    if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`unexpected status ${answer.statusCode}`);
    return { status: answer.statusCode, startedAt, totalMs: Date.now() - startedAt.getTime() };
  };
}

/** Counts accepted and recorded events, so that a measurement ends with the last record. */
export class RivalLedger {
  #open = 0;

  accepted(): void {
    this.#open += 1;
  }

  recorded(count: number): void {
    this.#open -= count;
  }

  async settle(): Promise<void> {
    while (this.#open > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
