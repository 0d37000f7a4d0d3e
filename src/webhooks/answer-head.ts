// Reads the status line off the wire before the HTTP client does, for two reasons. The status line decides an attempt,
// also when the headers after it never end or are broken, and the client reports it only after the last header. And
// the client fails an answer that begins with an unasked "100 Continue", which every HTTP client has to accept.

/** Interim answers (1xx) may take this much altogether; they are counted, dropped, and never end an attempt well. */
const MAX_INTERIM_BYTES = 16_384;
const STATUS_LINE_START_BYTES = 13; // "HTTP/1.1 200 "
const END_OF_HEAD = '\r\n\r\n';
const SWITCHING_PROTOCOLS = 101;

export class AnswerHead {
  /** The final status, once its line has arrived. */
  status: number | null = null;
  /** Everything that arrived since the request was written. */
  byteCount = 0;
  isTooLong = false;
  #held: Buffer | null = null;

  reset(): void {
    this.status = null;
    this.byteCount = 0;
    this.isTooLong = false;
    this.#held = null;
  }

  /** Takes what came off the wire and gives what the HTTP client may see; null when that is nothing yet. */
  pass(chunk: Buffer): Buffer | null {
    this.byteCount += chunk.length;
    if (this.status !== null) return chunk;
    let rest = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = null;
    while (rest.length >= STATUS_LINE_START_BYTES) {
      const status = readStatus(rest);
      if (status < 100 || status > 199 || status === SWITCHING_PROTOCOLS) {
        this.status = status;
        return rest;
      }
      const end = rest.indexOf(END_OF_HEAD, STATUS_LINE_START_BYTES, 'latin1');
      if (end < 0) break;
      rest = rest.subarray(end + END_OF_HEAD.length);
    }
    this.isTooLong = this.byteCount > MAX_INTERIM_BYTES;
    if (rest.length > 0) this.#held = rest;
    return null;
  }
}

const ZERO = 0x30;

/** NaN-free: anything that is no status line is given on as status 0, for the HTTP client to find fault with. */
function readStatus(bytes: Buffer): number {
  // H T T P / 1 . x SP
  const isHttp1 = bytes[0] === 0x48 && bytes[4] === 0x2f && bytes[5] === 0x31 && bytes[6] === 0x2e && bytes[8] === 0x20;
  const isEnded = bytes[12] === 0x20 || bytes[12] === 0x0d || bytes[12] === 0x0a;
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
