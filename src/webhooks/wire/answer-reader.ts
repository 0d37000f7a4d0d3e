// Reads one answer as far as a webhook needs it: the status, the beginning of the body, and whether the connection can
// be reused. The status line alone decides the attempt, so it is available as soon as it has arrived.
// Interim answers (1xx) before it are counted and dropped.
import { readAnswerHead, SWITCHING_PROTOCOLS, type AnswerHead } from './answer-head.ts';
import { MAX_ANSWER_BYTES } from './answer-text.ts';
import { ChunkedBody } from './chunked-body.ts';

/** Limit for all interim answers together, and again for the final head. */
const MAX_HEAD_BYTES = 16_384;
const MAX_BODY_BYTES = 16_384;
/** Head, body and framing of one answer together: trailers and chunk extensions have no separate limit. */
const MAX_WIRE_BYTES = 65_536;

const STATUS_LINE_START_BYTES = 13; // "HTTP/1.1 200 "
const STATUS_END = 12;
const END_OF_HEAD = '\r\n\r\n';

/** `broken`: not valid HTTP. `too much`: over a size limit, so it is not read to its end. */
export type Progress = 'more' | 'whole' | 'broken' | 'too much';

export class AnswerReader {
  /** The final status once its line has arrived; 0 if that is not a valid status line. */
  status: number | null = null;
  /** Everything that arrived since the request was written. */
  byteCount = 0;
  /** Set when the head is complete. */
  head: AnswerHead | null = null;
  /** The beginning of the body: what is kept of it, or a little more. */
  body: Buffer | null = null;
  /** Whether nothing arrived after the end of the answer, as far as can be known. */
  isClean = true;

  #bodyBytes = 0;
  #chunks: ChunkedBody | null = null;
  #held: Buffer | null = null;

  read(bytes: Buffer): Progress {
    this.byteCount += bytes.length;
    const progress = this.head === null ? this.#readHead(bytes) : this.#readBody(this.head, bytes);
    const isTooMuch = this.#bodyBytes > MAX_BODY_BYTES || this.byteCount > MAX_WIRE_BYTES;
    return progress === 'more' && isTooMuch ? 'too much' : progress;
  }

  #readHead(bytes: Buffer): Progress {
    let rest = this.#held === null ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = null;
    while (rest.length >= STATUS_LINE_START_BYTES) {
      const status = readStatus(rest);
      const isInterim = status >= 100 && status <= 199 && status !== SWITCHING_PROTOCOLS;
      if (!isInterim) this.status = status;
      if (status === 0) return 'broken';
      const end = rest.indexOf(END_OF_HEAD, STATUS_END, 'latin1');
      if (end < 0) break;
      const behind = rest.subarray(end + END_OF_HEAD.length);
      if (!isInterim) {
        this.head = readAnswerHead(rest.toString('latin1', 0, end), status);
        return this.head === null ? 'broken' : this.#readBody(this.head, behind);
      }
      rest = behind;
    }
    // Copied, because the read buffer is shared by all connections.
    this.#held = Buffer.from(rest);
    if (this.status === null) return this.byteCount > MAX_HEAD_BYTES ? 'too much' : 'more';
    if (rest.length > MAX_HEAD_BYTES) return 'too much';
    return hasLoneLineFeed(rest) ? 'broken' : 'more';
  }

  #readBody({ framing }: AnswerHead, bytes: Buffer): Progress {
    switch (framing.by) {
      case 'length': {
        const left = framing.length - this.#bodyBytes;
        this.isClean = bytes.length <= left;
        if (bytes.length > 0 && left > 0) this.#keep(this.isClean ? bytes : bytes.subarray(0, left));
        return bytes.length < left ? 'more' : 'whole';
      }
      case 'chunks': {
        this.#chunks ??= new ChunkedBody();
        const progress = this.#chunks.read(bytes, (piece) => this.#keep(piece));
        this.isClean = this.#chunks.leftover === 0;
        return progress;
      }
      case 'close':
        if (bytes.length > 0) this.#keep(bytes);
        return 'more';
    }
  }

  #keep(piece: Buffer): void {
    this.#bodyBytes += piece.length;
    if (this.body === null) this.body = Buffer.from(piece);
    else if (this.body.length < MAX_ANSWER_BYTES) this.body = Buffer.concat([this.body, piece]);
  }
}

const ZERO = 0x30;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A head whose lines end in a bare line feed would never reach the expected end of head. */
function hasLoneLineFeed(bytes: Buffer): boolean {
  const at = bytes.indexOf(LINE_FEED);
  return at > 0 && bytes[at - 1] !== CARRIAGE_RETURN;
}

/** Returns 0 for anything that is not a status line. */
function readStatus(bytes: Buffer): number {
  // H T T P / 1 . x SP
  const isHttp1 = bytes[0] === 0x48 && bytes[4] === 0x2f && bytes[5] === 0x31 && bytes[6] === 0x2e && bytes[8] === 0x20;
  const isEnded = bytes[12] === 0x20 || bytes[12] === CARRIAGE_RETURN || bytes[12] === LINE_FEED;
  if (!isHttp1 || !isEnded) return 0;
  const hundreds = digit(bytes[9]);
  const tens = digit(bytes[10]);
  const ones = digit(bytes[11]);
  return hundreds < 0 || tens < 0 || ones < 0 ? 0 : hundreds * 100 + tens * 10 + ones;
}

function digit(byte: number | undefined): number {
  const value = (byte ?? 0) - ZERO;
  return value >= 0 && value <= 9 ? value : -1;
}
