// Finds what is wrong with a refused body, and where. Runs only after a refusal, on text whose depth is already known to
// be limited, so it may be slow and may recurse.
import { isUtf8 } from 'node:buffer';
import { fieldPath, type JsonValue } from '../../domain/canonical-json.ts';
import type { FieldProblem } from '../../domain/refusals.ts';

const MAX_PROBLEMS = 50;

/** What is wrong with the bytes as text, or undefined when they are plain UTF-8. */
export function describeEncoding(bytes: Buffer): string | undefined {
  const [first, second, third] = bytes;
  if (first === undefined) return 'The body is empty. Send a JSON object';
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    return 'The body starts with a byte order mark. Send UTF-8 without it';
  }
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16 || first === 0 || second === 0) return 'The body looks like UTF-16 or UTF-32. Send UTF-8';
  return isUtf8(bytes) ? undefined : `The body is not valid UTF-8 after byte ${countValidUtf8(bytes)}`;
}

function countValidUtf8(bytes: Buffer): number {
  let valid = 0;
  let invalid = bytes.length + 1;
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (isUtf8Prefix(bytes.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  return valid;
}

function isUtf8Prefix(bytes: Buffer): boolean {
  try {
    // `stream` tolerates a character that is cut off at the end of the prefix.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

export function describeSyntaxError(text: string): string {
  const { problem } = new Reader(text).read();
  if (problem === undefined) return 'The body is not valid JSON';
  const before = text.slice(0, problem.at).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return `The body is not valid JSON: ${problem.what} at line ${before.length}, column ${column}`;
}

/** The path of the first key that is written twice in one object of a valid JSON text. */
export function findDuplicateKey(text: string): string {
  const { duplicate } = new Reader(text).read();
  return duplicate === undefined ? '' : fieldPath(duplicate);
}

/** Beyond this range doubles cannot represent every integer, so the parsed number may differ from the one sent. */
export function isSafeNumber(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

export function findUnsafeValues(value: JsonValue): FieldProblem[] {
  const problems: FieldProblem[] = [];
  collectUnsafe(value, [], problems);
  return problems;
}

function collectUnsafe(value: JsonValue, path: PropertyKey[], problems: FieldProblem[]): void {
  if (problems.length >= MAX_PROBLEMS) return;
  if (typeof value === 'string') {
    const message = describeUnsafeText(value);
    if (message !== undefined) problems.push({ field: fieldPath(path), message });
  } else if (typeof value === 'number') {
    const message = `Must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
    if (!isSafeNumber(value)) problems.push({ field: fieldPath(path), message });
  } else if (Array.isArray(value)) {
    value.forEach((element, index) => collectUnsafe(element, [...path, index], problems));
  } else if (value !== null && typeof value === 'object') {
    for (const [key, member] of Object.entries(value)) {
      const message = describeUnsafeText(key);
      if (message === undefined) collectUnsafe(member, [...path, key], problems);
      else problems.push({ field: fieldPath([...path, key.toWellFormed()]), message: `In the key: ${message}` });
    }
  }
}

function describeUnsafeText(text: string): string | undefined {
  if (text.includes('\0')) return 'Must not contain the character U+0000';
  if (!text.isWellFormed()) return 'Must be well-formed Unicode. This text contains half of a surrogate pair';
  return undefined;
}

interface Findings {
  problem: { what: string; at: number } | undefined;
  duplicate: PropertyKey[] | undefined;
}

class SyntaxProblem extends Error {}

const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// oxlint-disable-next-line no-control-regex -- control characters are exactly what a JSON string must not hold
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;

/** A JSON reader that keeps only its position and the first error. */
class Reader {
  readonly #text: string;
  #at = 0;
  #duplicate: PropertyKey[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Findings {
    try {
      this.#value([]);
      if (this.#peek() !== undefined) this.#fail('unexpected text after the end of the document');
      return { problem: undefined, duplicate: this.#duplicate };
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) throw error;
      return { problem: { what: error.message, at: this.#at }, duplicate: this.#duplicate };
    }
  }

  #value(path: PropertyKey[]): void {
    const next = this.#peek();
    if (next === '{') this.#object(path);
    else if (next === '[') this.#array(path);
    else if (next === '"') this.#string();
    else if (this.#match(LITERAL) === undefined) this.#fail(`expected a value but found ${this.#found()}`);
  }

  #object(path: PropertyKey[]): void {
    const keys = new Set<string>();
    this.#at++;
    if (this.#take('}')) return;
    do {
      if (this.#peek() !== '"') this.#fail(`expected a key in double quotes but found ${this.#found()}`);
      const key = this.#string();
      if (keys.has(key)) this.#duplicate ??= [...path, key];
      keys.add(key);
      if (!this.#take(':')) this.#fail(`expected ":" after a key but found ${this.#found()}`);
      this.#value([...path, key]);
    } while (this.#take(','));
    if (!this.#take('}')) this.#fail(`expected "," or "}" but found ${this.#found()}`);
  }

  #array(path: PropertyKey[]): void {
    this.#at++;
    if (this.#take(']')) return;
    let index = 0;
    do {
      this.#value([...path, index++]);
    } while (this.#take(','));
    if (!this.#take(']')) this.#fail(`expected "," or "]" but found ${this.#found()}`);
  }

  #string(): string {
    const literal = this.#match(STRING);
    if (literal === undefined) {
      return this.#fail('this string is unterminated, or contains a raw control character or an invalid escape');
    }
    const text: string = JSON.parse(literal);
    return text;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const literal = pattern.exec(this.#text)?.[0];
    if (literal !== undefined) this.#at += literal.length;
    return literal;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #peek(): string | undefined {
    while (/[ \t\n\r]/.test(this.#text[this.#at] ?? '')) this.#at++;
    return this.#text[this.#at];
  }

  #found(): string {
    if (this.#peek() === undefined) return 'the end of the body';
    return JSON.stringify(String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0));
  }

  #fail(what: string): never {
    throw new SyntaxProblem(what);
  }
}
