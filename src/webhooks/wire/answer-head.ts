// What the head of an answer says about the bytes after it. Anything ambiguous is rejected: the status is already known
// by then, so only the text of the answer and the connection are lost.

/** How the end of a body is found. */
export type Framing = { by: 'length'; length: number } | { by: 'chunks' } | { by: 'close' };

export interface AnswerHead {
  framing: Framing;
  /** How long the connection may stay idle before its next request; null if it must be closed. */
  idleMs: number | null;
  retryAfter: string | null;
}

/** Shorter than the 5 seconds after which the most common servers close an idle connection. */
export const USUAL_IDLE_MS = 4000;
/** If a receiver announces its idle timeout, ours ends this much earlier, capped at `MAX_IDLE_MS`. */
const IDLE_MARGIN_MS = 1000;
const MAX_IDLE_MS = 15_000;

export const LINE_END = '\r\n';
const BODILESS: Framing = { by: 'length', length: 0 };
export const SWITCHING_PROTOCOLS = 101;
const BODILESS_STATUSES = new Set([SWITCHING_PROTOCOLS, 204, 304]);

/** Null for an invalid head, or one with conflicting statements about its body. `text` ends before the empty line. */
export function readAnswerHead(text: string, status: number): AnswerHead | null {
  if (text !== lastRead.text) lastRead = { text, head: understand(text, status) };
  return lastRead.head;
}

// Within one second, a busy receiver's heads are usually identical, so the last result is cached.
let lastRead: { text: string; head: AnswerHead | null } = { text: '', head: null };

function understand(text: string, status: number): AnswerHead | null {
  const fields = readFields(text);
  if (fields === null) return null;
  const framing = BODILESS_STATUSES.has(status) ? BODILESS : framingOf(fields);
  if (framing === null) return null;
  const isLast = text.startsWith('HTTP/1.0') || framing.by === 'close' || status === SWITCHING_PROTOCOLS;
  return { framing, idleMs: isLast ? null : idleOf(fields), retryAfter: fields.retryAfter };
}

interface Fields {
  length: string | null;
  encoding: string | null;
  connection: string | null;
  keepAlive: string | null;
  retryAfter: string | null;
}

function readFields(text: string): Fields | null {
  const fields: Fields = { length: null, encoding: null, connection: null, keepAlive: null, retryAfter: null };
  let start = text.indexOf(LINE_END);
  while (start >= 0) {
    start += LINE_END.length;
    const next = text.indexOf(LINE_END, start);
    const end = next < 0 ? text.length : next;
    const colon = text.indexOf(':', start);
    if (colon <= start || colon >= end || isBlank(text.charCodeAt(start)) || isBlank(text.charCodeAt(colon - 1))) {
      return null;
    }
    const field = fieldNamed(text, start, colon);
    if (field !== null) {
      const value = text.slice(colon + 1, end).trim();
      if (fields[field] === null) fields[field] = value;
      else if (field === 'length' || field === 'encoding') return null;
      else if (field === 'connection') fields.connection += `,${value}`;
    }
    start = next;
  }
  return fields;
}

const SPACE = 0x20;
const TAB = 0x09;

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** The length rules out nearly all other names, so few names have to be copied. */
function fieldNamed(text: string, start: number, colon: number): keyof Fields | null {
  const length = colon - start;
  if (length !== 10 && length !== 11 && length !== 14 && length !== 17) return null;
  switch (text.slice(start, colon).toLowerCase()) {
    case 'content-length':
      return 'length';
    case 'transfer-encoding':
      return 'encoding';
    case 'connection':
      return 'connection';
    case 'keep-alive':
      return 'keepAlive';
    case 'retry-after':
      return 'retryAfter';
    default:
      return null;
  }
}

function framingOf({ length, encoding }: Fields): Framing | null {
  if (encoding !== null) return length === null && encoding.toLowerCase() === 'chunked' ? { by: 'chunks' } : null;
  if (length === null) return { by: 'close' };
  return /^\d{1,15}$/.test(length) ? { by: 'length', length: Number(length) } : null;
}

function idleOf({ connection, keepAlive }: Fields): number | null {
  if (connection !== null && /(^|,)\s*(close|upgrade)\s*(,|$)/i.test(connection)) return null;
  const announced = keepAlive === null ? null : /(?:^|[\s,])timeout\s*=\s*"?(\d{1,9})/i.exec(keepAlive);
  if (announced === null) return USUAL_IDLE_MS;
  const idleMs = Math.min(Number(announced[1]) * 1000 - IDLE_MARGIN_MS, MAX_IDLE_MS);
  return idleMs > 0 ? idleMs : null;
}
