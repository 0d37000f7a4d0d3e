// One TLS connection that serves one request after another. A request is written whole, and nothing else before its
// answer has been read whole.
import type { TLSSocket } from 'node:tls';
import { USUAL_IDLE_MS } from './answer-head.ts';
import { AnswerReader } from './answer-reader.ts';
import { codeOf } from './attempt-failure.ts';
import type { WireRequest } from './wire-request.ts';

/** Any system takes this much at once, but under load the answer is often read before the write is reported as done. */
const UNREPORTED_BYTES = 16_384;

/** Whoever waits for the answer to a request. Told exactly one of `onWhole`, `onUnreadable` and `onClosed`. */
export interface Exchange {
  /** The status and the headers are there, perhaps the body too. */
  onHead(): void;
  onWhole(): void;
  /** What arrives is no HTTP, or too much of it. There may be a status nevertheless. */
  onUnreadable(): void;
  /** The connection is gone. */
  onClosed(): void;
}

export class Connection {
  readonly remoteAddress: string;
  /** It serves no request that begins later. */
  readonly usedUntilMs: number;
  requestCount = 0;
  answer = new AnswerReader();
  /** Whether the request was written that the connection is serving. */
  isWritten = false;
  /** An alert of the receiver's TLS after the handshake. */
  tlsError: Error | null = null;

  readonly #socket: TLSSocket;
  #idleMs = USUAL_IDLE_MS;
  #request: WireRequest | null = null;
  #exchange: Exchange | null = null;

  constructor(socket: TLSSocket, { remoteAddress, usedUntilMs }: { remoteAddress: string; usedUntilMs: number }) {
    this.#socket = socket;
    this.remoteAddress = remoteAddress;
    this.usedUntilMs = usedUntilMs;
    // Whoever waits for an answer has a timer of its own that keeps the process alive.
    socket.unref();
    socket.setTimeout(this.#idleMs, () => {
      if (this.#exchange === null) this.destroy();
    });
    socket.on('data', (bytes: Buffer) => this.#onBytes(bytes));
    socket.once('end', () => socket.destroy());
    socket.on('error', (error) => {
      if (codeOf(error).startsWith('ERR_SSL_')) this.tlsError = error;
    });
    socket.once('close', () => this.#endExchange()?.onClosed());
  }

  /** Open, and the last request is not stuck on its way: a receiver may answer before it has read everything. */
  get isUsable(): boolean {
    return !this.#socket.destroyed && this.#socket.writableLength <= UNREPORTED_BYTES;
  }

  /** Whether it may serve another request, now that an answer has been read whole. */
  get isKept(): boolean {
    return this.answer.isClean && this.answer.head !== null && this.answer.head.idleMs !== null;
  }

  onClosed(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  send(request: WireRequest, exchange: Exchange): void {
    this.#request = request;
    this.#exchange = exchange;
    this.isWritten = false;
    this.answer = new AnswerReader();
    this.requestCount += 1;
    // What the receiver has said or done while nobody asked is read first: it must not be taken for the answer.
    if (this.requestCount === 1) this.write();
    else setImmediate(writeRequest, this);
  }

  /** Writes the request that waits for it, unless the connection has ended meanwhile. */
  write(): void {
    if (this.#request === null || this.#socket.destroyed) return;
    const { head, body } = this.#request;
    this.#request = null;
    this.isWritten = true;
    if (typeof body === 'string') {
      this.#socket.write(head + body);
      return;
    }
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(body);
    this.#socket.uncork();
  }

  destroy(): void {
    this.#endExchange();
    this.#socket.destroy();
  }

  #onBytes(bytes: Buffer): void {
    const exchange = this.#exchange;
    if (exchange === null || !this.isWritten) {
      this.#socket.destroy();
      return;
    }
    const { answer } = this;
    const hadHead = answer.head !== null;
    const progress = answer.read(bytes);
    if (!hadHead && answer.head !== null) exchange.onHead();
    // Told of the head, it may have been content with that.
    if (this.#exchange === null || progress === 'more') return;
    this.#endExchange();
    if (progress === 'whole') this.#finish(exchange);
    else exchange.onUnreadable();
  }

  #finish(exchange: Exchange): void {
    const idleMs = this.answer.head?.idleMs ?? this.#idleMs;
    if (idleMs !== this.#idleMs) {
      this.#idleMs = idleMs;
      this.#socket.setTimeout(idleMs);
    }
    exchange.onWhole();
  }

  #endExchange(): Exchange | null {
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#request = null;
    return exchange;
  }
}

// A plain function with an argument instead of a closure: one for all requests.
function writeRequest(connection: Connection): void {
  connection.write();
}
