// Receivers that violate the protocol: raw sockets, with or without TLS, driven by the test's script.
import * as net from 'node:net';
import * as tls from 'node:tls';
import { issueServerCertificate, type ServerCertificate } from '../../src/robots/certificates.ts';
import { getTestAuthority, listenOnLoopback } from './receiver.ts';

export interface HostileReceiver {
  port: number;
  /** The hostname defaults to `localhost`. */
  url(hostname?: string): string;
  readonly acceptedCount: number;
  /** Resolves when every accepted connection has been closed by either side. */
  allClosed(): Promise<void>;
  /** Calls the listener when a connection closes, with the number of bytes received below TLS. */
  onBytes(listener: (count: number) => void): void;
  close(): Promise<void>;
}

/** Accepts TCP connections and hands each raw socket to the script. */
export function startTcpReceiver(script: (socket: net.Socket) => void): Promise<HostileReceiver> {
  return listen(net.createServer(script));
}

/** A TCP proxy that forwards TLS bytes unchanged and can inject a plaintext HTTP response toward the sender. */
export interface Meddler {
  front: HostileReceiver;
  /** Injects the plaintext response into the most recent connection. */
  interrupt(): void;
  /** Answers the sender's next bytes with the plaintext response instead of forwarding them. */
  answerNext(): void;
  close(): Promise<void>;
}

const PLAIN_ANSWER = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n';

export async function startMeddler(receiverUrl: string): Promise<Meddler> {
  const receiverPort = Number(new URL(receiverUrl).port);
  let last: net.Socket | undefined;
  let isAnswering = false;
  const front = await startTcpReceiver((socket) => {
    last = socket;
    const behind = net.connect(receiverPort, '127.0.0.1');
    behind.on('error', () => {});
    behind.pipe(socket);
    socket.on('close', () => behind.destroy());
    socket.on('data', (chunk) => {
      if (isAnswering) socket.write(PLAIN_ANSWER);
      else behind.write(chunk);
      isAnswering = false;
    });
  });
  return {
    front,
    interrupt: () => last?.write(PLAIN_ANSWER),
    answerNext: () => (isAnswering = true),
    close: () => front.close(),
  };
}

export interface TlsReceiverOptions extends tls.TlsOptions {
  certificate?: ServerCertificate;
}

/** Completes the TLS handshake, then runs the script after each complete request. */
export async function startTlsReceiver(
  script: (socket: tls.TLSSocket) => void,
  options: TlsReceiverOptions = {},
): Promise<HostileReceiver> {
  return startTlsSocketReceiver((socket) => afterRequest(socket, () => script(socket)), options);
}

/** Like startTlsReceiver, but runs the script without waiting for a request. */
export async function startTlsSocketReceiver(
  script: (socket: tls.TLSSocket) => void,
  { certificate, ...options }: TlsReceiverOptions = {},
): Promise<HostileReceiver> {
  const used = certificate ?? (await issueFor(['localhost']));
  const server = tls.createServer({ cert: used.chainPem, key: used.privateKeyPem, ...options }, script);
  server.on('tlsClientError', () => {});
  return listen(server);
}

const issued = new Map<string, Promise<ServerCertificate>>();

/** Caches one certificate per set of names: generating keys would dominate the run time of the small tests. */
export function issueFor(names: readonly string[]): Promise<ServerCertificate> {
  const key = names.join();
  const known =
    issued.get(key) ?? getTestAuthority().then((by) => issueServerCertificate(by, { names, now: Date.now() }));
  issued.set(key, known);
  return known;
}

/** Calls back after each complete request (head and content-length) on the connection. */
export function afterRequest(socket: net.Socket, answer: () => void): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(received.toString('latin1', 0, headEnd))?.[1] ?? 0);
      if (received.length < headEnd + 4 + length) return;
      received = received.subarray(headEnd + 4 + length);
      answer();
    }
  });
}

/** Writes as fast as the peer reads, until the connection ends. */
export function writeForever(socket: net.Socket, piece: string | Buffer): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(piece)) continue;
  };
  socket.on('drain', write);
  write();
}

/** Writes one piece per interval, until the connection ends. */
export function drip(socket: net.Socket, piece: string, everyMs: number): void {
  const timer = setInterval(() => {
    if (!socket.destroyed) socket.write(piece);
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
}

// The TCP socket under each TLS socket, keyed by its two ports: only a TCP socket can be reset.
const tcpSockets = new Map<string, net.Socket>();

/** Closes the connection with RST instead of FIN. */
export function reset(socket: net.Socket): void {
  tcpSockets.get(`${socket.localPort}/${socket.remotePort}`)?.resetAndDestroy();
}

async function listen(server: net.Server): Promise<HostileReceiver> {
  const open = new Set<net.Socket>();
  let acceptedCount = 0;
  let onAllClosed = (): void => {};
  let onBytes = (_count: number): void => {};
  server.on('connection', (socket) => {
    acceptedCount += 1;
    open.add(socket);
    const ports = `${socket.localPort}/${socket.remotePort}`;
    tcpSockets.set(ports, socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      tcpSockets.delete(ports);
      onBytes(socket.bytesRead);
      if (open.size === 0) onAllClosed();
    });
  });
  server.on('secureConnection', (socket: tls.TLSSocket) => socket.on('error', () => {}));
  const port = await listenOnLoopback(server);
  return {
    port,
    url: (hostname = 'localhost') => `https://${hostname}:${port}/hook`,
    get acceptedCount() {
      return acceptedCount;
    },
    onBytes: (listener) => (onBytes = listener),
    allClosed: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => (onAllClosed = resolve))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
