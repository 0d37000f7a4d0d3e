// A request as written to the wire: POST with a Content-Length, over HTTP/1.1.

export interface WireRequest {
  /** Everything before the body, including the empty line. */
  head: string;
  body: string | Uint8Array;
  /** Whether each character of the body is one byte on the wire, as is always the case for the head. */
  isAscii: boolean;
}

/** The common beginning of all requests to one URL. */
export function openingOf(to: { hostname: string; port: number; path: string }): string {
  const host = to.port === HTTPS_PORT ? to.hostname : `${to.hostname}:${to.port}`;
  return `POST ${to.path} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n`;
}

/** Null if a header contains unsafe characters. */
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
  const bytes = Buffer.byteLength(body);
  return { head: `${head}Content-Length: ${bytes}\r\n\r\n`, body, isAscii: bytes === body.length };
}

const HTTPS_PORT = 443;
/** A line break would start another header, and receivers disagree about characters beyond ASCII. */
const UNSAFE_IN_LINE = /[^\t\u0020-\u007e]/;
