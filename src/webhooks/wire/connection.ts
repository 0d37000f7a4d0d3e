// One TLS connection that serves one request after another. A request is written whole, and nothing else before its
// answer has been read whole.
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../platform.ts';
import { USUAL_IDLE_MS } from './answer-head.ts';
import { AnswerReader } from './answer-reader.ts';
import { codeOf } from '../dial/attempt-failure.ts';
import type { Dialled } from '../dial/connect.ts';
import type { WireRequest } from './request.ts';

/** Any system takes this much at once, but under load the answer is often read before the write is reported as done. */
const UNREPORTED_BYTES = 16_384;

/** Whoever waits for the answer to a request. Told exactly one of `onWhole`, `onUnreadable` and `onClosed`. */
export interface Exchange {
  /** The request is about to be written. Not when this is false; then it has ended and is told nothing more. */
  onWrite(): boolean;
  /** The status and the headers are there, perhaps the body too. */
  onHead(): void;
  onWhole(): void;
  /** What arrives is no HTTP, or too much of it. There may be a status nevertheless. */
  onUnreadable(): void;
  /** The connection is gone. */
  onClosed(): void;
}

export interface ConnectionOptions extends Pick<Dialled, 'reading' | 'remoteAddress'> {
  usedUntilMs: number;
  clock: Pick<Clock, 'monotonicMs'>;
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
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** How long it may serve nobody, and since when it does. */
  #idleMs = USUAL_IDLE_MS;
  #idleSinceMs: number;
  #idleTimer: NodeJS.Timeout | undefined;
  #request: WireRequest | null = null;
  #exchange: Exchange | null = null;

  constructor(socket: TLSSocket, { reading, remoteAddress, usedUntilMs, clock }: ConnectionOptions) {
    this.#socket = socket;
    this.#clock = clock;
    this.remoteAddress = remoteAddress;
    this.usedUntilMs = usedUntilMs;
    // Whoever waits for an answer has a timer of its own that keeps the process alive.
    socket.unref();
    this.#idleSinceMs = clock.monotonicMs();
    this.#watchIdle(this.#idleMs);
    reading.onBytes = (bytes) => this.#onBytes(bytes);
    socket.once('end', () => socket.destroy());
    socket.on('error', (error) => {
      if (codeOf(error).startsWith('ERR_SSL_')) this.tlsError = error;
    });
    socket.once('close', () => {
      clearTimeout(this.#idleTimer);
      this.#endExchange()?.onClosed();
    });
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
    if (this.#request === null || this.#socket.destroyed || this.#exchange?.onWrite() !== true) return;
    const { head, body, isAscii } = this.#request;
    this.#request = null;
    this.isWritten = true;
    if (typeof body === 'string') {
      // The same bytes; of this encoding they need not be counted first.
      this.#socket.write(head + body, isAscii ? 'latin1' : 'utf8');
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
    this.#idleSinceMs = this.#clock.monotonicMs();
    if (idleMs !== this.#idleMs) {
      this.#idleMs = idleMs;
      this.#watchIdle(idleMs);
    }
    exchange.onWhole();
  }

  /**
   * A timer that looks, when it is due, how long it has really been. The socket's own is set anew with everything that is
   * written or read.
   */
  #watchIdle(ms: number): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(endIfIdle, ms, this).unref();
  }

  endIfIdle(): void {
    const leftMs =
      this.#exchange === null ? this.#idleSinceMs + this.#idleMs - this.#clock.monotonicMs() : this.#idleMs;
    if (leftMs > 0) this.#watchIdle(leftMs);
    else this.destroy();
  }

  #endExchange(): Exchange | null {
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#request = null;
    return exchange;
  }
}

// Plain functions with an argument instead of closures: one of each for all requests.
function writeRequest(connection: Connection): void {
  connection.write();
}

function endIfIdle(connection: Connection): void {
  connection.endIfIdle();
}
