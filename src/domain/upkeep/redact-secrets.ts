// Removes secrets from texts that were written for other purposes, such as error messages. A backstop: what is known
// to be a secret is left out before.

const MARK = '[redacted]';
/** A shorter secret would remove ordinary letters. */
const MIN_KNOWN_LENGTH = 4;

const SECRET_NAME = String.raw`\b[\w-]*(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|private[_-]?key|master[_-]?key|cookie|signature|session)[\w-]*`;
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'`;
/** `name=value`, `"name": "value"`, and `name 'value'` as in SQL. */
const NAMED = new RegExp(
  String.raw`(?<name>${SECRET_NAME}(?:["']?\s*[:=]\s*(?=\S)|\s+(?=["'])))(?:${QUOTED}|(?:bearer |basic )?[^\s,;&"']+)`,
  'gi',
);

const PATTERNS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, MARK],
  // In a URL: user and password, and parameters, which may be keys.
  [/(?<=:\/\/)[^\s/"'<>]*@/g, `${MARK}@`],
  [/(?<=:\/\/[^\s?"'<>]*\?)[^\s"'<>]+/g, MARK],
  [/\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi, MARK],
  [/\bwb_(?:live|test)_[\w-]+/g, MARK],
  [/\bwhsec_[\w+/=-]+/g, MARK],
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, MARK],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '[email]'],
  // Generated passwords and codes.
  [/\b(?:[\da-hjkmnp-tv-z]{5}-){3}[\da-hjkmnp-tv-z]{5}\b/g, MARK],
  [/\b[A-Z2-7]{26,}\b/g, MARK],
  // Long and random: hexadecimal, or capitals, small letters and digits.
  [/\b[\da-f]{32,}\b/gi, MARK],
  [/(?<![\w+/-])(?=[\w+/-]*\d)(?=[\w+/-]*[A-Z])(?=[\w+/-]*[a-z])[\w+/-]{24,}={0,2}/g, MARK],
];

/** `known`: secrets of this installation, in every form in which they may be written. */
export function redactSecrets(text: string, known: readonly string[]): string {
  // The longest first: one secret may contain another.
  const values = known
    .filter((value) => value.length >= MIN_KNOWN_LENGTH)
    .sort((one, other) => other.length - one.length);
  const withoutKnown = values.reduce((rest, value) => rest.replaceAll(value, MARK), text);
  const withoutNamed = withoutKnown.replaceAll(NAMED, `$<name>${MARK}`);
  return PATTERNS.reduce((rest, [pattern, mark]) => rest.replaceAll(pattern, mark), withoutNamed);
}
