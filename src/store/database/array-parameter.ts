// Columns as array parameters in PostgreSQL's binary format, which it parses at a quarter of the cost of text. Rows on
// a hot path are sent this way: `column.uuid((row) => row.id)` is the column of ids. prepared.ts puts them into statements.
import type { Instant } from '../../domain/time.ts';

type Column<Row, Value> = (row: Row) => Value | null;

/** Writes one value after its length prefix; returns the number of bytes written. */
type Write<Value> = (target: Buffer, at: number, value: Value) => number;

const OIDS = { boolean: 16, bigint: 20, int: 23, text: 25, json: 114, real: 700, timestamptz: 1184, uuid: 2950 };
const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;
/** PostgreSQL counts microseconds from the year 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const UINT32_SIZE = 2 ** 32;
const DASH = '-'.charCodeAt(0);
/** The value of a hexadecimal digit, by character code. */
const HEX_DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);
/** Text up to this length is written character by character, which costs less than calling the encoder. */
const SHORT_TEXT = 40;
const MAX_BYTES_PER_CHARACTER = 3;

export function uuidArray<Row>(rows: readonly Row[], of: Column<Row, string>): Buffer {
  return toArray(rows, of, { oid: OIDS.uuid, size: 16, write: writeUuid });
}

export function intArray<Row>(rows: readonly Row[], of: Column<Row, number>): Buffer {
  return toArray(rows, of, { oid: OIDS.int, size: 4, write: writeInt });
}

/** For integers that a JavaScript number represents exactly. */
export function bigintArray<Row>(rows: readonly Row[], of: Column<Row, number>): Buffer {
  return toArray(rows, of, { oid: OIDS.bigint, size: 8, write: writeBigint });
}

export function realArray<Row>(rows: readonly Row[], of: Column<Row, number>): Buffer {
  return toArray(rows, of, { oid: OIDS.real, size: 4, write: writeReal });
}

export function booleanArray<Row>(rows: readonly Row[], of: Column<Row, boolean>): Buffer {
  return toArray(rows, of, { oid: OIDS.boolean, size: 1, write: writeBoolean });
}

export function timestampArray<Row>(rows: readonly Row[], of: Column<Row, Instant>): Buffer {
  return toArray(rows, of, { oid: OIDS.timestamptz, size: 8, write: writeTimestamp });
}

export function textArray<Row>(rows: readonly Row[], of: Column<Row, string>): Buffer {
  let size = 0;
  for (const row of rows) size += maxBytesOf(of(row) ?? '');
  return toArray(rows, of, { oid: OIDS.text, size: 0, textBytes: size, write: writeText });
}

/** For JSON text, as strings or as UTF-8 bytes. */
export function jsonArray<Row>(rows: readonly Row[], of: Column<Row, string | Uint8Array>): Buffer {
  let size = 0;
  for (const row of rows) {
    const value = of(row) ?? '';
    size += typeof value === 'string' ? maxBytesOf(value) : value.length;
  }
  return toArray(rows, of, { oid: OIDS.json, size: 0, textBytes: size, write: writeJson });
}

/** A column of rows that are sent as arrays: how it is filled, and how SQL turns it into rows again. */
export interface ArrayColumn<Row> {
  parameterType: string;
  fill(rows: readonly Row[]): unknown;
  unnest(parameter: string): string;
}

const arrayOf =
  <Value>(type: string, toBuffer: <Row>(rows: readonly Row[], of: Column<Row, Value>) => Buffer) =>
  <Row>(of: Column<Row, Value>): ArrayColumn<Row> => ({
    parameterType: `${type}[]`,
    fill: (rows) => toBuffer(rows, of),
    unnest: (parameter) => `unnest(${parameter})`,
  });

export const column = {
  uuid: arrayOf('uuid', uuidArray),
  int: arrayOf('int', intArray),
  bigint: arrayOf('bigint', bigintArray),
  real: arrayOf('real', realArray),
  boolean: arrayOf('boolean', booleanArray),
  timestamp: arrayOf('timestamptz', timestampArray),
  text: arrayOf('text', textArray),
  json: arrayOf('json', jsonArray),
  /** For text without line breaks, such as compact JSON: writing and splitting one text costs less than an array. */
  lines: <Row>(of: (row: Row) => string): ArrayColumn<Row> => ({
    parameterType: 'text',
    fill: (rows) => rows.map(of).join('\n'),
    unnest: (parameter) => `unnest(string_to_array(${parameter}, e'\\n'))`,
  }),
};

function toArray<Row, Value>(
  rows: readonly Row[],
  of: Column<Row, Value>,
  type: { oid: number; size: number; textBytes?: number; write: Write<Value> },
): Buffer {
  const { oid, size, write } = type;
  const array = Buffer.allocUnsafe(HEAD_BYTES + rows.length * (LENGTH_BYTES + size) + (type.textBytes ?? 0));
  let at = HEAD_BYTES;
  let nullCount = 0;
  let last: Value | undefined;
  let lastAt = 0;
  let lastBytes = 0;
  for (const row of rows) {
    const value = of(row);
    if (value === null) {
      nullCount += 1;
      at = array.writeInt32BE(NULL_LENGTH, at);
    } else if (typeof value === 'string' && value === last) {
      // Repeated value, such as the same restaurant or URL: copying costs less than writing it again.
      array.copyWithin(at, lastAt, lastAt + lastBytes);
      at += lastBytes;
    } else {
      const length = write(array, at + LENGTH_BYTES, value);
      array.writeInt32BE(length, at);
      [last, lastAt, lastBytes] = [value, at, LENGTH_BYTES + length];
      at += lastBytes;
    }
  }
  // A column of only nulls is sent empty, so PostgreSQL skips parsing it: the subquery fills in the nulls.
  const isEmpty = nullCount === rows.length;
  // Header: number of dimensions, null flag, element type; then the length and the lower bound of 1.
  array.writeInt32BE(1, 0);
  array.writeInt32BE(nullCount > 0 ? 1 : 0, 4);
  array.writeInt32BE(oid, 8);
  array.writeInt32BE(isEmpty ? 0 : rows.length, 12);
  array.writeInt32BE(1, 16);
  return array.subarray(0, isEmpty ? HEAD_BYTES : at);
}

function writeUuid(target: Buffer, at: number, uuid: string): number {
  if (uuid.length !== 36) throw new Error(`${uuid} is not a UUID`);
  let next = at;
  for (let index = 0; index < 36; index += 2) {
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (uuid.charCodeAt(index) !== DASH) throw new Error(`${uuid} is not a UUID`);
      index += 1;
    }
    const byte = (hexDigit(uuid, index) << 4) | hexDigit(uuid, index + 1);
    if (byte < 0) throw new Error(`${uuid} is not a UUID`);
    target[next] = byte;
    next += 1;
  }
  return 16;
}

/** Negative if the character is not a hexadecimal digit. */
function hexDigit(text: string, at: number): number {
  return HEX_DIGITS[text.charCodeAt(at)] ?? -1;
}

function writeInt(target: Buffer, at: number, value: number): number {
  target.writeInt32BE(value, at);
  return 4;
}

function writeBigint(target: Buffer, at: number, value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a safe integer`);
  const high = Math.floor(value / UINT32_SIZE);
  target.writeInt32BE(high, at);
  target.writeUInt32BE(value - high * UINT32_SIZE, at + 4);
  return 8;
}

function writeReal(target: Buffer, at: number, value: number): number {
  target.writeFloatBE(value, at);
  return 4;
}

function writeBoolean(target: Buffer, at: number, value: boolean): number {
  target[at] = value ? 1 : 0;
  return 1;
}

function writeTimestamp(target: Buffer, at: number, instant: Instant): number {
  const microseconds = Math.round((instant - EPOCH_MS) * 1000);
  if (Number.isSafeInteger(microseconds)) return writeBigint(target, at, microseconds);
  // After the year 2285 or before 1714.
  target.writeBigInt64BE(BigInt(Math.round(instant - EPOCH_MS)) * 1000n, at);
  return 8;
}

function maxBytesOf(text: string): number {
  return text.length <= SHORT_TEXT ? text.length * MAX_BYTES_PER_CHARACTER : Buffer.byteLength(text);
}

function writeText(target: Buffer, at: number, text: string): number {
  if (text.length > SHORT_TEXT) return target.write(text, at);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127) return target.write(text, at);
    target[at + index] = code;
  }
  return text.length;
}

function writeJson(target: Buffer, at: number, json: string | Uint8Array): number {
  if (typeof json === 'string') return writeText(target, at, json);
  target.set(json, at);
  return json.length;
}
