// The parts of a request's head that the server needs, read in one pass over the raw headers: Node's own object has
// already merged or dropped repeated ones.

export interface RequestHead {
  apiKey: string | undefined;
  apiKeyCount: number;
  authorization: string | undefined;
  authorizationCount: number;
  contentType: string | undefined;
  contentTypeCount: number;
  contentEncoding: string | undefined;
  hostCount: number;
  /** All Transfer-Encoding lines; undefined if there are none. */
  transferEncoding: string | undefined;
  headerCount: number;
  /** Every line of X-Forwarded-For. */
  forwardedFor: readonly string[];
  /** Every line of Forwarded. */
  forwarded: readonly string[];
}

const NO_LINES: readonly string[] = [];

export function readHead(rawHeaders: readonly string[]): RequestHead {
  const head: RequestHead = {
    apiKey: undefined,
    apiKeyCount: 0,
    authorization: undefined,
    authorizationCount: 0,
    contentType: undefined,
    contentTypeCount: 0,
    contentEncoding: undefined,
    hostCount: 0,
    transferEncoding: undefined,
    headerCount: rawHeaders.length / 2,
    forwardedFor: NO_LINES,
    forwarded: NO_LINES,
  };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    readHeader(head, rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  return head;
}

// Comparing lengths first rules out nearly all other headers without comparing letters.
function readHeader(head: RequestHead, name: string, value: string): void {
  switch (name.length) {
    case 4:
      if (name.toLowerCase() === 'host') head.hostCount += 1;
      return;
    case 9:
      readHeaderOfNine(head, name.toLowerCase(), value);
      return;
    case 12:
      if (name.toLowerCase() !== 'content-type') return;
      head.contentType = value;
      head.contentTypeCount += 1;
      return;
    case 13:
      if (name.toLowerCase() !== 'authorization') return;
      head.authorization = value;
      head.authorizationCount += 1;
      return;
    case 15:
      if (name.toLowerCase() === 'x-forwarded-for') head.forwardedFor = [...head.forwardedFor, value];
      return;
    case 16:
      if (name.toLowerCase() !== 'content-encoding') return;
      head.contentEncoding = joinLines(head.contentEncoding, value);
      return;
    case 17:
      if (name.toLowerCase() === 'transfer-encoding') head.transferEncoding = joinLines(head.transferEncoding, value);
      return;
    default:
  }
}

function joinLines(before: string | undefined, line: string): string {
  return before === undefined ? line : `${before},${line}`;
}

function readHeaderOfNine(head: RequestHead, name: string, value: string): void {
  if (name === 'forwarded') head.forwarded = [...head.forwarded, value];
  if (name !== 'x-api-key') return;
  head.apiKey = value;
  head.apiKeyCount += 1;
}
