// Reads a request body as JSON and refuses anything that another parser could interpret differently: duplicate keys,
// numbers that lose precision, and text that a database cannot store.
//
// Every order passes through here, so a valid body costs one scan of its bytes, the native parser, and one walk over
// the result. Locating an error costs more and is done only if there is one.
import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../../domain/canonical-json.ts';
import { refuse, type FieldProblem, type Refusal } from '../../domain/refusals.ts';
import {
  describeEncoding,
  describeSyntaxError,
  findDuplicateKey,
  findUnsafeValues,
  isSafeNumber,
} from './json-diagnosis.ts';

const DEPTH_LIMIT = 20;

/** The value, and the bytes it was parsed from, so storing it needs no serialization. */
export type StrictJson = { ok: true; value: JsonValue; bytes: Buffer } | { ok: false; refusal: Refusal };

export function parseStrictJson(bytes: Buffer): StrictJson {
  if (!isUtf8(bytes)) return malformed(describeEncoding(bytes) ?? 'The body is not valid UTF-8');
  const structure = scanStructure(bytes);
  if (structure.tooDeepAt >= 0) {
    return malformed(`The body is nested more than ${DEPTH_LIMIT} levels deep at byte ${structure.tooDeepAt}`);
  }
  const text = bytes.toString('utf8');
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed(describeEncoding(bytes) ?? describeSyntaxError(text));
  }
  const tally: Tally = { keys: 0, hasUnsafeNumber: false };
  tallyValue(value, tally);
  if (tally.keys !== structure.keys) return refuseDuplicate(text);
  if (tally.hasUnsafeNumber || structure.hasUnicodeEscape) {
    const problems = findUnsafeValues(value);
    if (problems.length > 0) return { ok: false, refusal: refuse('REQ_004', undefined, problems) };
  }
  return { ok: true, value, bytes };
}

interface Structure {
  /** Colons outside strings: in valid JSON, the number of keys as written. */
  keys: number;
  /** Offset of the first byte that opens a level beyond the limit, or -1. */
  tooDeepAt: number;
  /** In valid UTF-8, NUL and lone surrogates can only be written as escapes. */
  hasUnicodeEscape: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const COLON = 0x3a;
// `[` and `{`, `]` and `}` differ only in this bit.
const CASE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

// The bytes may not be JSON at all. The result is used only if the native parser succeeds, except for the depth, which
// is checked before any recursive code reads the text.
function scanStructure(bytes: Buffer): Structure {
  const length = bytes.length;
  let keys = 0;
  let depth = 0;
  let hasUnicodeEscape = false;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      for (at++; at < length && bytes[at] !== QUOTE; at++) {
        if (bytes[at] === BACKSLASH && bytes[++at] === LETTER_U) hasUnicodeEscape = true;
      }
    } else if (byte === COLON) {
      keys++;
    } else if ((byte | CASE_BIT) === OPENING) {
      if (++depth > DEPTH_LIMIT) return { keys, tooDeepAt: at, hasUnicodeEscape };
    } else if ((byte | CASE_BIT) === CLOSING) {
      depth--;
    }
  }
  return { keys, tooDeepAt: -1, hasUnicodeEscape };
}

interface Tally {
  keys: number;
  hasUnsafeNumber: boolean;
}

function tallyValue(value: JsonValue, tally: Tally): void {
  if (typeof value === 'number') {
    if (!isSafeNumber(value)) tally.hasUnsafeNumber = true;
  } else if (Array.isArray(value)) {
    for (const element of value) tallyValue(element, tally);
  } else if (typeof value === 'object' && value !== null) {
    // Half the cost of Object.values; what was parsed inherits no enumerable keys.
    for (const name in value) {
      tally.keys += 1;
      tallyValue(value[name] ?? null, tally);
    }
  }
}

function malformed(message: string, details?: FieldProblem[]): StrictJson {
  return { ok: false, refusal: refuse('REQ_001', message, details) };
}

function refuseDuplicate(text: string): StrictJson {
  const field = findDuplicateKey(text);
  return malformed(`The key ${field} appears more than once`, [{ field, message: 'Must appear only once' }]);
}
