// Decodes the values that the real store passes with its statements.
import type { Statement } from '../../src/store/database/database.ts';
import { RESULT_COLUMNS } from '../../src/store/webhooks/attempts.ts';

export interface RecordedAttempt {
  eventId: string;
  number: number;
  delivered: boolean;
  failures: number;
  nextAttemptAt: number | null;
  endedAt: number;
}

export function nameOf(statement: Statement | string): string {
  if (typeof statement !== 'string' && statement.name !== undefined) return statement.name;
  const text = (typeof statement === 'string' ? statement : statement.text).trim();
  if (text.startsWith('insert into nodes')) return 'register_node';
  if (text.includes('delete from nodes where id = $1')) return 'retire_node';
  return text;
}

/** The real store accepts only UUIDs. */
export function simulatedId(number: number): string {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

/** After the node's id, one array per column. */
export function readRecords([, ...arrays]: readonly unknown[]): RecordedAttempt[] {
  const names = Object.keys(RESULT_COLUMNS);
  const read = (name: string): string[] => texts(arrays[names.indexOf(name)]);
  const [numbers, delivered, failures] = [read('number'), read('is_delivered'), read('failures')];
  const [nextAttempts, ends] = [read('next_attempt_at'), read('ended_at')];
  return read('event_id').map((eventId, index) => ({
    eventId,
    number: Number(numbers[index]),
    delivered: delivered[index] === 'true',
    failures: Number(failures[index]),
    nextAttemptAt: delivered[index] === 'true' ? null : Number(nextAttempts[index]),
    endedAt: Number(ends[index]),
  }));
}

const EPOCH_MS = Date.UTC(2000, 0, 1);

/** Keyed by type OID: how to decode a value of a binary array. */
const READERS: Readonly<Record<number, (bytes: Buffer) => string>> = {
  16: (bytes) => String(bytes[0] === 1),
  23: (bytes) => String(bytes.readInt32BE()),
  1184: (bytes) => String(Number(bytes.readBigInt64BE() / 1000n) + EPOCH_MS),
  2950: (bytes) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
};

/** Accepts a list or PostgreSQL's binary form of one. */
export function texts(value: unknown): string[] {
  if (Buffer.isBuffer(value)) return readArray(value);
  if (!Array.isArray(value)) throw new Error('A statement was given something that is not a list');
  return value.map(String);
}

function readArray(array: Buffer): string[] {
  const read = READERS[array.readInt32BE(8)];
  if (read === undefined) throw new Error(`Unsupported list type ${array.readInt32BE(8)} here`);
  const values: string[] = [];
  for (let at = 20; at < array.length;) {
    const length = array.readInt32BE(at);
    at += 4;
    values.push(length < 0 ? 'NULL' : read(array.subarray(at, at + length)));
    at += Math.max(length, 0);
  }
  return values;
}
