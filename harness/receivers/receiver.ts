// A real local HTTPS receiver of webhooks; the test that starts it decides its responses.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import * as https from 'node:https';
import type { Server, Socket } from 'node:net';
import { createAuthority, issueServerCertificate, type Authority } from '../../src/robots/certificates.ts';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Alternating names and values, as they were on the wire. */
  rawHeaders: string[];
  body: Buffer;
  receivedAt: number;
  /** Counts from 1; the same number means the same connection. */
  connectionId: number;
  /** Undefined if the signature header or the secret is missing. */
  isSignatureValid: boolean | undefined;
}

/** A status, a full response, no response, or a connection reset. */
export type Answer =
  | number
  | { status?: number; headers?: Record<string, string>; body?: string; delayMs?: number }
  | 'hang'
  | 'reset';

export interface ReceiverOptions {
  /** Signs the receiver's certificate; by default the authority that all tests of a process share. */
  authority?: Authority;
  /** Used in the URL and in the certificate. */
  hostname?: string;
  /** When set, a request with an invalid signature gets a 401, as the contract requires of receivers. */
  secret?: string;
  onRequest?: (request: ReceivedRequest) => Answer | Promise<Answer>;
  keepAliveTimeoutMs?: number;
}

export interface Receiver {
  authority: Authority;
  /** The CA certificate that senders must trust. */
  caPem: string;
  port: number;
  requests: ReceivedRequest[];
  readonly openConnections: number;
  url(path?: string): string;
  /** Resolves as soon as the requests received so far satisfy the predicate. */
  waitFor(predicate: (requests: readonly ReceivedRequest[]) => boolean, timeoutMs?: number): Promise<void>;
  /** Closes every connection immediately, as a restart of the receiver would. */
  dropConnections(): void;
  close(): Promise<void>;
}

let sharedAuthority: Promise<Authority> | undefined;

export function getTestAuthority(): Promise<Authority> {
  sharedAuthority ??= createAuthority('Waybill test authority', { now: Date.now() });
  return sharedAuthority;
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const authority = options.authority ?? (await getTestAuthority());
  const hostname = options.hostname ?? 'localhost';
  const certificate = await issueServerCertificate(authority, { names: [hostname], now: Date.now() });
  const server = https.createServer({ cert: certificate.chainPem, key: certificate.privateKeyPem });
  server.keepAliveTimeout = options.keepAliveTimeoutMs ?? 30_000;
  const requests: ReceivedRequest[] = [];
  const checks = new Set<() => void>();
  const connections = trackConnections(server);

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await receive(message, connections.idOf(message.socket), options.secret);
    if (request === undefined) return;
    requests.push(request);
    for (const check of checks) check();
    await answer(request, response, options);
  }
  server.on('request', (message, response) => {
    void serve(message, response);
  });
  const port = await listenOnLoopback(server);

  return {
    authority,
    caPem: authority.certificatePem,
    port,
    requests,
    get openConnections() {
      return connections.open.size;
    },
    url: (path = '/hook') => `https://${hostname}:${port}${path}`,
    waitFor: (predicate, timeoutMs = 10_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          checks.delete(check);
          reject(new Error(`The receiver got only ${requests.length} requests in time`));
        }, timeoutMs);
        const check = (): void => {
          if (!predicate(requests)) return;
          clearTimeout(timer);
          checks.delete(check);
          resolve();
        };
        checks.add(check);
        check();
      }),
    dropConnections: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns the port that the system assigned. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}

function trackConnections(server: https.Server): { open: Set<Socket>; idOf(socket: Socket): number } {
  const open = new Set<Socket>();
  const ids = new WeakMap<Socket, number>();
  let last = 0;
  server.on('secureConnection', (socket) => {
    last += 1;
    ids.set(socket, last);
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
  });
  return { open, idOf: (socket) => ids.get(socket) ?? 0 };
}

async function receive(
  message: IncomingMessage,
  connectionId: number,
  secret: string | undefined,
): Promise<ReceivedRequest | undefined> {
  const chunks: Buffer[] = [];
  message.on('data', (chunk: Buffer) => chunks.push(chunk));
  const isWhole = await new Promise<boolean>((resolve) => {
    message.on('end', () => resolve(true)).on('close', () => resolve(false));
  });
  if (!isWhole) return undefined;
  const body = Buffer.concat(chunks);
  return {
    method: message.method ?? '',
    path: message.url ?? '',
    headers: message.headers,
    rawHeaders: message.rawHeaders,
    body,
    receivedAt: Date.now(),
    connectionId,
    isSignatureValid: checkSignature(message.headers['x-service-signature'], body, secret),
  };
}

async function answer(request: ReceivedRequest, response: ServerResponse, options: ReceiverOptions): Promise<void> {
  const isForged = options.secret !== undefined && request.isSignatureValid !== true;
  give(isForged ? 401 : ((await options.onRequest?.(request)) ?? 200), response);
}

function give(answer: Answer, response: ServerResponse): void {
  if (answer === 'hang') return;
  if (answer === 'reset') {
    response.socket?.destroy();
    return;
  }
  const { status = 200, headers = {}, body, delayMs = 0 } = typeof answer === 'number' ? { status: answer } : answer;
  const write = (): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body ?? JSON.stringify({ received: status >= 200 && status <= 299 }));
  };
  if (delayMs === 0) write();
  else setTimeout(write, delayMs).unref();
}

function checkSignature(header: string | string[] | undefined, body: Buffer, secret: string | undefined) {
  if (typeof header !== 'string' || secret === undefined) return undefined;
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
