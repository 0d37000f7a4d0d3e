// A request as it goes onto the wire: POST with a length, over HTTP/1.1.

export interface WireRequest {
  /** Everything before the body, the empty line included. */
  head: string;
  body: string | Uint8Array;
}

/** What all requests to one URL begin with. */
export function openingOf(to: { hostname: string; port: number; path: string }): string {
  const host = to.port === HTTPS_PORT ? to.hostname : `${to.hostname}:${to.port}`;
  return `POST ${to.path} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n`;
}

/** Null when a header would not stay one. */
export function toWireRequest(
  opening: string,
  { headers, body }: { headers: Record<string, string>; body: string | Uint8Array },
): WireRequest | null {
  let head = opening;
  for (const name in headers) {
    const line = `${name}: ${headers[name]}`;
    if (UNSAFE_IN_LINE.test(line)) return null;
    head += `${line}\r\n`;
  }
  return { head: `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`, body };
}

const HTTPS_PORT = 443;
/** A line break would begin another header, and beyond ASCII receivers do not agree. */
const UNSAFE_IN_LINE = /[^\t\u0020-\u007e]/;
