// What every answer to a page says about how it may be used.

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Data is never a document: if somebody opens it as one, nothing in it runs. */
export const API_HEADERS: Readonly<Record<string, string>> = {
  ...ALWAYS,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

/** For the pages themselves. Maps draw in workers that are made from memory, and get what they show from `mapOrigin`. */
export function pageHeaders(mapOrigin: string | null): Record<string, string> {
  const maps = mapOrigin === null ? '' : ` ${mapOrigin}`;
  return {
    ...ALWAYS,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), payment=(), usb=()',
    'content-security-policy': [
      "default-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src 'self' data: blob:${maps}`,
      `connect-src 'self'${maps}`,
      "worker-src 'self' blob:",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
  };
}
