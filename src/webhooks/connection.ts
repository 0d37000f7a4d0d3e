// One TLS connection with one undici Client on it. Undici may reuse the socket for the next request but never opens
// another, so that fresh and reused are known exactly.
import type { TLSSocket } from 'node:tls';
import { Client, type Dispatcher } from 'undici';
import { AnswerHead } from './answer-head.ts';
import { codeOf } from './attempt-failure.ts';

/** Shorter than the five seconds after which the commonest servers hang up on an idle client. */
const IDLE_MS = 4000;
/** When a receiver announces its own idle limit, ours ends this much earlier, and never later than the maximum. */
const IDLE_THRESHOLD_MS = 1000;
const MAX_IDLE_MS = 15_000;
const MAX_HEADER_BYTES = 16_384;
/** Head, body and framing of one answer: trailers and chunk extensions have no limit of their own. */
const MAX_WIRE_BYTES = 65_536;

/** Any system takes this much at once, but under load the answer is often read before the write is reported as done. */
const UNREPORTED_BYTES = 16_384;

/** The HTTP exchange that a connection is serving. */
export interface Exchange extends Dispatcher.DispatchHandler {
  onTooMuch(): void;
}

export class Connection {
  readonly head = new AnswerHead();
  readonly remoteAddress: string;
  readonly bornMs: number;
  requestCount = 0;
  /** An alert of the receiver's TLS after the handshake; undici reports only the end of the stream that follows it. */
  tlsError: Error | null = null;

  readonly #socket: TLSSocket;
  readonly #client: Client;
  #exchange: Exchange | null = null;

  constructor(origin: string, socket: TLSSocket, from: { remoteAddress: string; bornMs: number }) {
    this.#socket = socket;
    this.remoteAddress = from.remoteAddress;
    this.bornMs = from.bornMs;
    let unused: TLSSocket | null = socket;
    this.#client = new Client(origin, {
      // The attempt owns the only deadline; undici's timers do not bound an attempt anyway.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      keepAliveTimeoutThreshold: IDLE_THRESHOLD_MS,
      pipelining: 1,
      allowH2: false,
      connect: (_options, done) => {
        const given = unused;
        unused = null;
        // Asynchronously, as undici expects of a connector.
        if (given === null) queueMicrotask(() => done(new Error('The connection is gone'), null));
        else queueMicrotask(() => done(null, given));
      },
    });
    this.#watchAnswers(socket);
    socket.on('error', (error) => {
      if (codeOf(error).startsWith('ERR_SSL_')) this.tlsError = error;
    });
  }

  /** Open, and the last request is not stuck on its way: a receiver may answer before it has read everything. */
  get isUsable(): boolean {
    return !this.#socket.destroyed && this.#socket.writableLength <= UNREPORTED_BYTES;
  }

  onClosed(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  dispatch(options: Dispatcher.DispatchOptions, exchange: Exchange): void {
    this.head.reset();
    this.requestCount += 1;
    this.#client.dispatch(options, exchange);
  }

  /** The request is about to be written. What arrives before that, such as a farewell, is no answer to it. */
  attach(exchange: Exchange): void {
    this.#exchange = exchange;
  }

  /** The exchange is over and the connection may serve another. */
  detach(): void {
    this.#exchange = null;
  }

  destroy(): void {
    this.#exchange = null;
    this.#socket.destroy();
  }

  // Undici pulls its bytes with `read()`. Standing in that call costs nothing, where a stream in between would copy.
  #watchAnswers(socket: TLSSocket): void {
    const pull = socket.read.bind(socket);
    socket.read = (size?: number): Buffer | null => {
      for (;;) {
        const chunk: Buffer | null = pull(size);
        const exchange = this.#exchange;
        if (chunk === null || exchange === null) return chunk;
        const passed = this.head.pass(chunk);
        if (this.head.isTooLong || this.head.byteCount > MAX_WIRE_BYTES) {
          exchange.onTooMuch();
          return null;
        }
        if (passed !== null) return passed;
      }
    };
  }
}
