// Reads a JSON request body and checks its media type, its size and that it is complete.
import type { IncomingMessage } from 'node:http';
import { parseStrictJson, type StrictJson } from '../../contract/validation/strict-json.ts';
import { refuse, type Refusal } from '../../domain/refusals.ts';
import type { RequestHead } from './request-head.ts';

const MAX_BODY_BYTES = 262_144;

export async function readJsonBody(raw: IncomingMessage, head: RequestHead): Promise<StrictJson> {
  const refusal = checkMediaType(head);
  if (refusal !== undefined) return { ok: false, refusal };
  if (Number(raw.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return { ok: false, refusal: refuse('REQ_003') };
  const body = await readBytes(raw);
  return Buffer.isBuffer(body) ? parseStrictJson(body) : { ok: false, refusal: body };
}

export function checkMediaType(head: RequestHead): Refusal | undefined {
  const { contentType, contentTypeCount, contentEncoding } = head;
  if (contentType === undefined)
    return refuse('REQ_002', 'Content-Type is missing. Send Content-Type: application/json');
  if (contentTypeCount > 1) return refuse('REQ_002', 'More than one Content-Type header. Send it once');
  if (!isJson(contentType)) return refuse('REQ_002');
  const isPlain = contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'identity';
  return isPlain ? undefined : refuse('REQ_002', 'Compressed bodies are not supported. Send no Content-Encoding');
}

const PARAMETER = /^\s*([\w!#$%&'*+.^`|~-]+)=("[^"\\]*"|[\w!#$%&'*+.^`|~-]+)\s*$/;

/** Parameters other than the charset don't affect JSON and are accepted. */
function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = contentType.split(';');
  if (type.trim().toLowerCase() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [, name, value] = PARAMETER.exec(parameter) ?? [];
    if (name === undefined || value === undefined) return false;
    return name.toLowerCase() !== 'charset' || /^"?utf-8"?$/i.test(value);
  });
}

function readBytes(raw: IncomingMessage): Promise<Buffer | Refusal> | Buffer | Refusal {
  // By the time the credentials are checked, a small body has arrived completely and needs no listeners. Node marks the
  // request complete slightly later than its last byte arrives.
  const read: unknown = raw.read();
  const first = Buffer.isBuffer(read) ? read : Buffer.alloc(0);
  const isWhole = raw.complete || first.length === Number(raw.headers['content-length']);
  return isWhole && raw.readableLength === 0 ? withinLimit(first) : collectBytes(raw, first);
}

function withinLimit(body: Buffer): Buffer | Refusal {
  return body.length > MAX_BODY_BYTES ? refuse('REQ_003') : body;
}

function collectBytes(raw: IncomingMessage, first: Buffer): Promise<Buffer | Refusal> {
  return new Promise((resolve) => {
    const chunks = [first];
    let size = first.length;
    const finish = (result: Buffer | Refusal): void => {
      raw.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      // The rest of the body is read and discarded, so that the caller can read the answer.
      raw.on('error', () => {}).resume();
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_BODY_BYTES) finish(refuse('REQ_003'));
    };
    const onEnd = (): void => finish(Buffer.concat(chunks, size));
    const onBroken = (): void => finish(refuse('REQ_001', 'The connection closed before the body was complete'));
    raw.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
    if (size > MAX_BODY_BYTES) finish(refuse('REQ_003'));
    else if (raw.destroyed) onBroken();
  });
}
