// Produces the same text for all JSON with the same meaning, so that a repeated order is recognized regardless of its
// key order and white space. Numbers and strings are written as in ECMAScript and keys are sorted by UTF-16 code units, as
// RFC 8785 requires.

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const element of value) text += (text === '' ? '' : ',') + canonicalJson(element);
    return '[' + text + ']';
  }
  for (const key of Object.keys(value).sort()) {
    text += (text === '' ? '' : ',') + quote(key) + ':' + canonicalJson(value[key] ?? null);
  }
  return '{' + text + '}';
}

// Nearly all text needs no escapes, and checking that costs a third of the native call.
// oxlint-disable-next-line no-control-regex -- control characters are what must be escaped
const NEEDS_ESCAPES = /["\\\u0000-\u001f\ud800-\udfff]/;

function quote(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The value at a path, or undefined if there is none. */
export function readAt(value: JsonValue, path: readonly PropertyKey[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const part of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Array.isArray(found) ? found[Number(part)] : ownValue(found, String(part));
  }
  return found;
}

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;
const SHOWN_KEY_LENGTH = 64;

/** `items[0].quantity`; keys that are not plain words are quoted: `metadata["a.b"]`. */
export function fieldPath(parts: readonly PropertyKey[]): string {
  let path = '';
  for (const part of parts) {
    if (typeof part === 'number') path += `[${part}]`;
    else path += keyStep(String(part), path === '');
  }
  return path;
}

function keyStep(key: string, isFirst: boolean): string {
  // A key may be as long as the body, and the path is sent back to the client.
  const shown = key.length > SHOWN_KEY_LENGTH ? `${key.slice(0, SHOWN_KEY_LENGTH).toWellFormed()}…` : key;
  if (!PLAIN_KEY.test(shown)) return `[${JSON.stringify(shown)}]`;
  return isFirst ? shown : `.${shown}`;
}

const MAX_DIFFERENCES = 20;

/** The paths at which two values differ, in the order of `a`; at most 20, which is more than a person would read. */
export function differingFields(a: JsonValue, b: JsonValue): string[] {
  const found: string[] = [];
  collectDifferences({ a, b, path: [] }, found);
  return found;
}

interface Comparison {
  a: JsonValue | undefined;
  b: JsonValue | undefined;
  path: PropertyKey[];
}

function collectDifferences({ a, b, path }: Comparison, found: string[]): void {
  if (found.length >= MAX_DIFFERENCES || a === b) return;
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let index = 0; index < Math.max(a.length, b.length); index++) {
      collectDifferences({ a: a[index], b: b[index], path: [...path, index] }, found);
    }
  } else if (isJsonObject(a) && isJsonObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      collectDifferences({ a: ownValue(a, key), b: ownValue(b, key), path: [...path, key] }, found);
    }
  } else {
    found.push(fieldPath(path));
  }
}

// If `constructor` or `__proto__` is a key on one side only, plain access would return what every object inherits.
function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
