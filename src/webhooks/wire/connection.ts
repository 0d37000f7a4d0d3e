// One TLS connection that serves one request after another. A request is written whole, and the next only after its
// answer has been read whole.
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../platform.ts';
import { USUAL_IDLE_MS } from './answer-head.ts';
import { AnswerReader } from './answer-reader.ts';
import { codeOf } from '../dial/attempt-failure.ts';
import type { Dialed } from '../dial/connect.ts';
import type { WireRequest } from './request.ts';

/** Any system accepts this much in one write, but under load the answer often arrives before the write is reported. */
const UNREPORTED_BYTES = 16_384;

/** Waits for the answer to a request. Gets exactly one of `onWhole`, `onUnreadable` and `onClosed`. */
export interface Exchange {
  /** Called right before the request is written. False stops it; the exchange has then ended and gets no more calls. */
  onWrite(): boolean;
  /** The status and the headers have arrived, perhaps the body too. */
  onHead(): void;
  onWhole(): void;
  /** The answer is not valid HTTP, or too large. There may still be a status. */
  onUnreadable(): void;
  onClosed(): void;
}

export interface ConnectionOptions extends Pick<Dialed, 'reading' | 'remoteAddress'> {
  usedUntilMs: number;
  clock: Pick<Clock, 'monotonicMs'>;
}

export class Connection {
  readonly remoteAddress: string;
  /** It accepts no request after this time. */
  readonly usedUntilMs: number;
  requestCount = 0;
  answer = new AnswerReader();
  /** Whether the current request has been written. */
  isWritten = false;
  /** A TLS alert from the receiver after the handshake. */
  tlsError: Error | null = null;

  readonly #socket: TLSSocket;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** How long it may stay idle, and since when it is. */
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
    // A request in flight has its own timer, which keeps the process alive.
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

  /** Open, and the last request is fully written: a receiver may answer before it has read everything. */
  get isUsable(): boolean {
    return !this.#socket.destroyed && this.#socket.writableLength <= UNREPORTED_BYTES;
  }

  /** Whether it may serve another request after its answer has been read whole. */
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
    // Reads pending bytes or a close first: anything the receiver sent while idle must not be taken for the answer.
    if (this.requestCount === 1) this.write();
    else setImmediate(writeRequest, this);
  }

  /** Writes the pending request, unless the connection has closed in the meantime. */
  write(): void {
    if (this.#request === null || this.#socket.destroyed || this.#exchange?.onWrite() !== true) return;
    const { head, body, isAscii } = this.#request;
    this.#request = null;
    this.isWritten = true;
    if (typeof body === 'string') {
      // The bytes are the same, but Latin-1 does not have to be measured first.
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
    // `onHead` may have ended the exchange.
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
   * When the timer fires, it checks how long the connection has really been idle. The socket's own timer would be reset
   * on every write and read.
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

// Plain functions with an argument instead of closures: one function serves all requests.
function writeRequest(connection: Connection): void {
  connection.write();
}

function endIfIdle(connection: Connection): void {
  connection.endIfIdle();
}
