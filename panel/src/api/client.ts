// Every call to the service goes through here: JSON in and out, responses validated against the contract's schemas, and
// one error type.
import { z } from 'zod';
import { errorTexts } from '../texts/errors.ts';
import { ApiError } from './api-error.ts';

// The security policy forbids eval, which zod would otherwise try for speed.
z.config({ jitless: true });

/** Longer than the slowest call: a check of another server, which takes up to twice five seconds. */
export const CALL_LIMIT_MS = 15_000;

type Query = Record<string, string | number | boolean | undefined>;

interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

const problemSchema = z.object({
  message: z.string(),
  code: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  requestId: z.string().optional(),
});

/** For responses without content. */
export const nothing = z.unknown();

export const api = {
  get: <T>(path: string, schema: z.ZodType<T>, options: { query?: Query; signal?: AbortSignal } = {}) =>
    call(schema, { method: 'GET', path: path + toQuery(options.query), signal: options.signal }),
  post: <T>(path: string, body: unknown, schema: z.ZodType<T>) => call(schema, { method: 'POST', path, body }),
  put: <T>(path: string, body: unknown, schema: z.ZodType<T>) => call(schema, { method: 'PUT', path, body }),
  patch: <T>(path: string, body: unknown, schema: z.ZodType<T>) => call(schema, { method: 'PATCH', path, body }),
  delete: <T>(path: string, schema: z.ZodType<T>) => call(schema, { method: 'DELETE', path }),
  /** For a streamed response: each line is handled as soon as it arrives. */
  postForLines: <T>(path: string, body: unknown, reading: LineReading<T>) => readLines(path, body, reading),
};

interface LineReading<T> {
  schema: z.ZodType<T>;
  onLine: (line: T) => void;
  signal: AbortSignal;
}

async function readLines<T>(path: string, body: unknown, { schema, onLine, signal }: LineReading<T>): Promise<void> {
  const response = await orNotReached(signal, send({ method: 'POST', path, body, signal }));
  const requestId = response.headers.get('x-request-id');
  if (!response.ok) throw toProblem(response.status, await readContent(response), requestId);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(schema.parse(JSON.parse(line)));
  }
}

async function call<T>(schema: z.ZodType<T>, request: Call): Promise<T> {
  const { response, content } = await orNotReached(request.signal, ask(request));
  const requestId = response.headers.get('x-request-id');
  if (!response.ok) throw toProblem(response.status, content, requestId);
  const answer = schema.safeParse(content);
  if (answer.success) return answer.data;
  const fields = answer.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new ApiError(errorTexts.unexpectedAnswer(fields), { status: response.status, code: 'PANEL', requestId });
}

/** With a timeout: in a tunnel, a connection may accept a request and never respond. */
async function ask(request: Call): Promise<{ response: Response; content: unknown }> {
  const limit = AbortSignal.timeout(CALL_LIMIT_MS);
  const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
  const response = await send({ ...request, signal });
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

function send({ method, path, body, signal }: Call): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' };
  // Required on every change, even without a body: a form on another site cannot send it (CSRF protection).
  if (method !== 'GET') headers['content-type'] = 'application/json';
  const init: RequestInit = { method, headers, credentials: 'same-origin' };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal !== undefined) init.signal = signal;
  return fetch(path, init);
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

export function toQuery(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}
