// What is kept of a receiver's answer: enough to explain a failure to a person, as inert text.

export const MAX_ANSWER_BYTES = 1024;
const MAX_RETRY_AFTER_CHARACTERS = 128;

// Control characters, and marks that reorder the surrounding text.
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const EACH_UNSAFE = new RegExp(UNSAFE.source, 'g');

/** The first bytes of an answer's body as valid, inert text. */
export function toAnswerText(bytes: Buffer): string {
  return makeInert(bytes.toString('utf8', 0, endOfLastCharacter(bytes)));
}

export function toRetryAfterText(value: string | null): string | null {
  return value === null ? null : makeInert(value.slice(0, MAX_RETRY_AFTER_CHARACTERS));
}

/** Removes NUL, which PostgreSQL cannot store in text. Replaces other control characters with visible symbols. */
function makeInert(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return text.replaceAll(EACH_UNSAFE, (character) => {
    if (character === '\0') return '';
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}

/** Cuts back to a whole character if the limit splits one, so that the text does not end in a replacement character. */
function endOfLastCharacter(bytes: Buffer): number {
  if (bytes.length < MAX_ANSWER_BYTES) return bytes.length;
  const end = MAX_ANSWER_BYTES;
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return back < sequenceLength(byte) ? end - back : end;
  }
  return end;
}

function sequenceLength(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}
