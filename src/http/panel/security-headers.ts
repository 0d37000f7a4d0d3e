// Security headers for every response of the panel.

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** API data is never a document: if someone opens it as one, nothing in it runs. */
export const API_HEADERS: Readonly<Record<string, string>> = {
  ...ALWAYS,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

/** For the pages themselves. Maps draw in workers created from blobs, and load their data from `mapOrigin`. */
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
