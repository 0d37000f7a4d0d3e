// Every call to the service goes through here: JSON in and out, responses validated against the contract's schemas, and
// one error type.
import { z } from 'zod';
import { writeUrl, type Given, type Sent } from '../../../src/contract/panel/route-url.ts';
import type { ReceivedFrom, Route, SentWith } from '../../../src/contract/panel/routes.ts';
import { errorTexts } from '../texts/errors.ts';
import { ApiError } from './api-error.ts';

// The security policy forbids eval, which zod would otherwise try for speed.
z.config({ jitless: true });

/** Longer than the slowest call: a check of another server, which takes up to twice five seconds. */
export const CALL_LIMIT_MS = 15_000;

const problemSchema = z.object({
  message: z.string(),
  code: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  requestId: z.string().optional(),
});

interface Abortable {
  signal?: AbortSignal;
}

interface LineReading<Line> {
  onLine: (line: Line) => void;
  signal: AbortSignal;
}

type Callable = Route & { answer: z.ZodType | 'nothing' };

const NOTHING = z.unknown().transform(() => undefined);

export const api = {
  call: <R extends Callable>(route: R, ...[given]: Given<R, Abortable>): Promise<ReceivedFrom<R>> =>
    // The result was parsed by the schema that the type comes from.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    call(route, given) as Promise<ReceivedFrom<R>>,
  /** For a streamed response: each line is handled as soon as it arrives. */
  readLines: <R extends Route, Line>(route: R & LinesOf<Line>, given: SentWith<R> & LineReading<Line>) =>
    readLines(route, given),
};

type LinesOf<Line> = Route & { answer: { lines: z.ZodType<Line> } };

async function readLines<Line>(route: LinesOf<Line>, given: Sent & LineReading<Line>): Promise<void> {
  const { signal, onLine } = given;
  const response = await orNotReached(signal, send(route, given));
  const requestId = response.headers.get('x-request-id');
  if (!response.ok) throw toProblem(response.status, await readContent(response), requestId);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(route.answer.lines.parse(JSON.parse(line)));
  }
}

async function call(route: Callable, given: Sent & Abortable = {}): Promise<unknown> {
  const { response, content } = await orNotReached(given.signal, ask(route, given));
  const requestId = response.headers.get('x-request-id');
  if (!response.ok) throw toProblem(response.status, content, requestId);
  const schema = route.answer === 'nothing' ? NOTHING : route.answer;
  const answer = schema.safeParse(content);
  if (answer.success) return answer.data;
  const fields = answer.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new ApiError(errorTexts.unexpectedAnswer(fields), { status: response.status, code: 'PANEL', requestId });
}

/** With a timeout: in a tunnel, a connection may accept a request and never respond. */
async function ask(route: Route, given: Sent & Abortable): Promise<{ response: Response; content: unknown }> {
  const limit = AbortSignal.timeout(CALL_LIMIT_MS);
  const signal = given.signal === undefined ? limit : AbortSignal.any([given.signal, limit]);
  const response = await send(route, { ...given, signal });
  return { response, content: await readContent(response) };
}

async function orNotReached<T>(signal: AbortSignal | undefined, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // An aborted call is not a failure: the caller aborted it.
    if (signal?.aborted === true) throw error;
    throw new ApiError(errorTexts.notReached, { status: 0, code: 'NETWORK' });
  }
}

function send(route: Route, { signal, ...given }: Sent & Required<Abortable>): Promise<Response> {
  const { method } = route;
  const headers: Record<string, string> = { accept: 'application/json' };
  // Required on every change, even without a body: a form on another site cannot send it (CSRF protection).
  if (method !== 'GET') headers['content-type'] = 'application/json';
  const init: RequestInit = { method, headers, credentials: 'same-origin', signal };
  if (given.body !== undefined) init.body = JSON.stringify(given.body);
  return fetch(writeUrl(route, given), init);
}

async function readContent(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toProblem(status: number, content: unknown, requestId: string | null): ApiError {
  const problem = problemSchema.safeParse(content);
  if (!problem.success) return new ApiError(errorTexts.failed(status), { status, code: 'UNKNOWN', requestId });
  const { message, code, details } = problem.data;
  return new ApiError(errorTexts.messages[code] ?? message, {
    status,
    code,
    details: details ?? [],
    requestId: problem.data.requestId ?? requestId,
  });
}
