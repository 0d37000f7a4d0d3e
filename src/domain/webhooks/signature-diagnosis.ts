// Explains why a signature does not match: tries what receivers commonly do to bodies, secrets and headers, and reports
// which change produces the computed value. Pure: the HMAC function is an argument.

export const SIGNATURE_CAUSES = [
  /** The body was parsed and serialized again. */
  'reserialised',
  'indented',
  'spaced',
  'sorted-keys',
  'escaped-letters',
  'newline-added',
  'newline-removed',
  'carriage-returns',
  'byte-order-mark',
  'pending-secret',
  'secret-without-prefix',
  'secret-decoded',
  'secret-with-newline',
  'empty-body',
  'header-upper-case',
  'header-prefixed',
  'header-base64',
  'header-spaces',
  'header-missing',
  'header-malformed',
  /** No variant produces the value: another secret, or another body. */
  'unknown',
] as const;
export type SignatureCause = (typeof SIGNATURE_CAUSES)[number];

export type Sign = (body: string, key: string | Uint8Array) => string;

export interface SignatureEvidence {
  /** The body as the receiver read it. */
  body: string;
  /** The header, or the receiver's computed value instead. */
  received: string;
  /** The secret now used for signing, or one that was typed in. */
  secret: string;
  pendingSecret: string | null;
}

export interface SignatureDiagnosis {
  expected: string;
  isMatch: boolean;
  /** Index of the first differing character; null if there is none. */
  differsAt: number | null;
  causes: SignatureCause[];
}

export function diagnoseSignature(
  evidence: SignatureEvidence,
  tools: { sign: Sign; decodeBase64: (text: string) => Uint8Array; hexToBase64: (hex: string) => string },
): SignatureDiagnosis {
  const { body, received, secret } = evidence;
  const expected = tools.sign(body, secret);
  if (received === expected) return { expected, isMatch: true, differsAt: null, causes: [] };
  const { value, causes } = readHeader(received, expected, tools.hexToBase64);
  const found = value === expected ? causes : [...causes, ...searchCauses(evidence, value, tools)];
  return {
    expected,
    isMatch: false,
    differsAt: firstDifference(expected, received),
    causes: found.length === 0 ? ['unknown'] : found,
  };
}

function firstDifference(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left[index] === right[index]) index += 1;
  return index;
}

/** The header's value after removing extra characters, and the cause of those. */
function readHeader(
  received: string,
  expected: string,
  hexToBase64: (hex: string) => string,
): { value: string; causes: SignatureCause[] } {
  const causes: SignatureCause[] = [];
  let value = received.trim();
  if (value === '') return { value, causes: ['header-missing'] };
  if (value !== received) causes.push('header-spaces');
  if (value === hexToBase64(expected)) return { value: expected, causes: [...causes, 'header-base64'] };
  const bare = value.replace(/^(sha256|v1|hmac-sha256)\s*[=,]\s*/i, '');
  if (bare !== value) causes.push('header-prefixed');
  value = bare;
  if (/^[0-9a-f]{64}$/i.test(value)) {
    if (value !== value.toLowerCase()) causes.push('header-upper-case');
  } else {
    causes.push('header-malformed');
  }
  return { value: value.toLowerCase(), causes };
}

function searchCauses(
  evidence: SignatureEvidence,
  value: string,
  tools: { sign: Sign; decodeBase64: (text: string) => Uint8Array },
): SignatureCause[] {
  const { body, secret, pendingSecret } = evidence;
  const keys: [SignatureCause | null, string | Uint8Array][] = [
    [null, secret],
    ...(pendingSecret === null ? [] : [['pending-secret', pendingSecret] as [SignatureCause, string]]),
    ['secret-without-prefix', secret.replace(/^whsec_/, '')],
    ['secret-decoded', tools.decodeBase64(secret.replace(/^whsec_/, ''))],
    ['secret-with-newline', `${secret}\n`],
  ];
  const bodies: [SignatureCause | null, string][] = [[null, body], ...variantsOf(body)];
  // One cause is likelier than two, so the plain body and the plain secret are tried with everything first.
  for (const [secretCause, key] of keys) {
    for (const [bodyCause, variant] of bodies) {
      if (tools.sign(variant, key) === value) {
        return [secretCause, bodyCause].filter((cause): cause is SignatureCause => cause !== null);
      }
    }
  }
  return [];
}

/** How frameworks, editors and shells change a body. */
function variantsOf(body: string): [SignatureCause, string][] {
  const trimmed = body.replace(/[\r\n]+$/, '');
  const variants: [SignatureCause, string][] = [
    ['newline-added', `${body}\n`],
    ['newline-added', `${body}\r\n`],
    ['newline-removed', trimmed],
    ['carriage-returns', body.replaceAll('\r\n', '\n')],
    ['carriage-returns', body.replaceAll(/\r?\n/g, '\r\n')],
    ['byte-order-mark', `\uFEFF${body}`],
    ['byte-order-mark', body.replace(/^\uFEFF/, '')],
    ['empty-body', ''],
  ];
  const value = parse(trimmed);
  if (value === undefined) return variants;
  const compact = JSON.stringify(value);
  return [
    ...variants,
    ['reserialised', compact],
    ['indented', JSON.stringify(value, null, 2)],
    ['indented', JSON.stringify(value, null, 4)],
    [
      'spaced',
      JSON.stringify(value, null, 1)
        .replaceAll(/\n\s*/g, ' ')
        .replaceAll(/([{[]) | ([}\]])/g, '$1$2'),
    ],
    ['sorted-keys', JSON.stringify(sortKeys(value))],
    ['escaped-letters', escapeLetters(compact)],
  ];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

function escapeLetters(text: string): string {
  return text.replaceAll(/[\u0080-\uFFFF]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
