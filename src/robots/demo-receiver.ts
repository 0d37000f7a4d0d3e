// The demo's integrator: an HTTPS receiver based only on the contract, as a restaurant's own system would be.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as https from 'node:https';
import { formatUtc, type Instant } from '../domain/time.ts';
import type { Clock } from '../platform.ts';
import type { ReceiverCertificate } from './demo-authority.ts';

export interface ReceivedWebhook {
  /** Counts from 1. */
  id: number;
  receivedAt: Instant;
  event: string;
  orderId: string;
  orderNumber: string | null;
  status: string | null;
  previousStatus: string | null;
  cancelReasonId: string | null;
  canceledBy: string | null;
  /** From the event's timestamp to its arrival. */
  latencyMs: number | null;
  signature: 'verified' | 'wrong' | 'absent';
  /** The same bytes were received before. */
  isRepeated: boolean;
  answered: number;
  /** As received. */
  body: string;
}

export interface DemoReceiver {
  port: number;
  origin: string;
  /** Oldest first. */
  listReceived(): readonly ReceivedWebhook[];
  /** Until this is called, webhooks wait for their response. */
  knowSecret(find: () => Promise<string | null>): void;
  useCertificate(certificate: ReceiverCertificate): void;
  close(): Promise<void>;
}

const MAX_KEPT = 300;
const MAX_BODY_BYTES = 65_536;

export async function startDemoReceiver(options: {
  clock: Clock;
  certificate: ReceiverCertificate;
  /** Used if it is still free. */
  preferredPort: number | undefined;
}): Promise<DemoReceiver> {
  const received: ReceivedWebhook[] = [];
  let lastId = 0;
  const secret = createSecretKeeper();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return answer(response, 200, health(options.clock.now()));
    const body = await readBody(request);
    if (body === undefined) return answer(response, 413, { error: 'Request too large' });
    const receivedAt = options.clock.now();
    const signature = await secret.check(body, request.headers['x-service-signature']);
    const answered = signature === 'wrong' ? 401 : 200;
    const text = body.toString('utf8');
    const isRepeated = received.some((earlier) => earlier.body === text);
    lastId += 1;
    received.push({
      id: lastId,
      receivedAt,
      signature,
      answered,
      isRepeated,
      body: text,
      ...readEvent(text, receivedAt),
    });
    if (received.length > MAX_KEPT) received.shift();
    return answer(response, answered, answered === 200 ? { received: true } : { error: 'Invalid signature' });
  }

  const server = https.createServer(options.certificate, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, options.preferredPort ?? 0);
  return {
    port,
    origin: `https://localhost:${port}`,
    listReceived: () => received,
    knowSecret: (find) => secret.use(find),
    useCertificate: (certificate) => server.setSecureContext(certificate),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Signature = ReceivedWebhook['signature'];

/** Reads the secret again only if a signature does not match, because the secret may have changed. */
function createSecretKeeper() {
  let find: (() => Promise<string | null>) | undefined;
  let known: string | null = null;
  const ready = Promise.withResolvers<void>();
  return {
    use(finder: () => Promise<string | null>): void {
      find = finder;
      ready.resolve();
    },
    async check(body: Buffer, header: string | string[] | undefined): Promise<Signature> {
      if (typeof header !== 'string') return 'absent';
      await ready.promise;
      if (known !== null && isSignedWith(known, body, header)) return 'verified';
      known = (await find?.()) ?? null;
      return known !== null && isSignedWith(known, body, header) ? 'verified' : 'wrong';
    },
  };
}

function isSignedWith(secret: string, body: Buffer, signature: string): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type EventFields = Pick<
  ReceivedWebhook,
  'event' | 'orderId' | 'orderNumber' | 'status' | 'previousStatus' | 'cancelReasonId' | 'canceledBy' | 'latencyMs'
>;

function readEvent(text: string, receivedAt: Instant): EventFields {
  const fields = parseObject(text);
  const textOf = (name: string): string | null => {
    const value = fields[name];
    return typeof value === 'string' ? value : null;
  };
  const happenedAt = Date.parse(textOf('timestamp') ?? '');
  return {
    event: textOf('event') ?? 'unknown',
    orderId: textOf('orderId') ?? '',
    orderNumber: textOf('orderNumber'),
    status: textOf('status'),
    previousStatus: textOf('previousStatus'),
    cancelReasonId: textOf('cancelReasonId'),
    canceledBy: textOf('canceledBy'),
    latencyMs: Number.isNaN(happenedAt) ? null : Math.max(0, receivedAt - happenedAt),
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function health(now: Instant): object {
  return { status: 'ok', timestamp: formatUtc(now) };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function listen(server: https.Server, port: number): Promise<number> {
  try {
    return await listenOn(server, port);
  } catch (error) {
    if (port === 0 || !(error instanceof Error && 'code' in error)) throw error;
    return listenOn(server, 0);
  }
}

function listenOn(server: https.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the demo receiver has no port'));
      else resolve(address.port);
    });
  });
}
