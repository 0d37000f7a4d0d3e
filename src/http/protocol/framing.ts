// Checks the framing of requests, and answers data that never becomes a request: Node's own answers have no body, and
// some heads that Node accepts are ambiguous to the next proxy.
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { REFUSAL_STATUS } from '../../contract/refusal-status.ts';
import { refuse, type Refusal } from '../../domain/refusals.ts';
import { problemBody } from './problems.ts';
import type { RequestHead } from './request-head.ts';

const MAX_HEADERS = 100;
const MAX_HEADER_BYTES = 16_384;

/** Set all three: Node swaps the first two if the first is larger, and checks them only as often as the third. */
export interface Timeouts {
  headersTimeout: number;
  requestTimeout: number;
  connectionsCheckingInterval: number;
}
export const TIMEOUTS: Timeouts = { headersTimeout: 5_000, requestTimeout: 15_000, connectionsCheckingInterval: 1_000 };
export const KEEP_ALIVE_TIMEOUT_MS = 72_000;

export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  // We check it ourselves, to answer in our own error format.
  requireHostHeader: false,
  insecureHTTPParser: false,
} satisfies ServerOptions;

/** One more than allowed: Node silently drops the rest, so the extra header shows that there were too many. */
export const HEADERS_KEPT = MAX_HEADERS + 1;

export function checkHead(raw: IncomingMessage, head: RequestHead): Refusal | undefined {
  if (head.headerCount > MAX_HEADERS) return refuse('REQ_003', `Too many headers. Send at most ${MAX_HEADERS}`);
  if (head.hostCount > 1) return refuse('REQ_001', 'More than one Host header. Send it once');
  if (head.hostCount === 0 && raw.httpVersion === '1.1') return refuse('REQ_001', 'The Host header is missing');
  // Node accepts any list that ends in `chunked`. Others read such a list differently, or ignore it in HTTP/1.0, and
  // would disagree about where the request ends.
  const { transferEncoding } = head;
  const isPlainlyChunked = transferEncoding?.toLowerCase() === 'chunked' && raw.httpVersion === '1.1';
  if (transferEncoding !== undefined && !isPlainlyChunked) {
    return refuse(
      'REQ_001',
      'Unsupported Transfer-Encoding. Send Transfer-Encoding: chunked with HTTP/1.1, or a Content-Length',
    );
  }
  return undefined;
}

type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

const STATUS_TEXT = { 400: 'Bad Request', 413: 'Content Too Large' } as const;

/** Sockets whose last request is still being answered. Meanwhile the parser may report the same error many times. */
const waiting = new WeakSet<Socket>();

/** Answers requests that Node's parser or timeouts rejected, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  // Node stores the current response here, and replaces it with the next one when it is done.
  const response = (socket as HttpSocket)._httpMessage;
  if (response?.req.complete === true && socket.writable && error.code !== 'ECONNRESET') {
    // The request before the invalid data was complete, so it is answered first.
    if (waiting.has(socket)) return;
    waiting.add(socket);
    response.once('close', () => {
      waiting.delete(socket);
      answerClientError(error, socket, requestId);
    });
    return;
  }
  // A second head in the middle of a response would be read as part of its body.
  const isAnswered = response?.headersSent === true;
  const hasAsked = socket.bytesRead > 0 && error.code !== 'ECONNRESET';
  if (!socket.writable || isAnswered || !hasAsked) {
    socket.destroy();
    return;
  }
  const refusal = describeClientError(error);
  const status = REFUSAL_STATUS[refusal.code] === 413 ? 413 : 400;
  const body = problemBody(refusal, requestId);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_TEXT[status]}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\n` +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

function describeClientError(error: NodeJS.ErrnoException): Refusal {
  switch (error.code ?? '') {
    case 'HPE_HEADER_OVERFLOW':
      return refuse('REQ_003', `The headers must be at most ${MAX_HEADER_BYTES} bytes`);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refuse('REQ_003', 'The chunk extensions are too long');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('REQ_001', 'The request did not arrive in time');
    default:
      return refuse('REQ_001', 'This is not a valid HTTP request');
  }
}
