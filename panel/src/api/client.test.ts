import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { declareRoutes } from '../../../src/contract/panel/routes.ts';
import { ApiError } from './api-error.ts';
import { api, CALL_LIMIT_MS } from './client.ts';

const NO_ANSWER = { name: 'ApiError', status: 0, code: 'NETWORK' };

beforeEach(() => {
  vi.useFakeTimers();
  // Fake timers do not cover AbortSignal.timeout.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((delayMs) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('too long', 'TimeoutError')), delayMs);
    return controller.signal;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** The call's result; `undefined` while it is pending. */
function follow(call: Promise<unknown>): { end: unknown } {
  const followed: { end: unknown } = { end: undefined };
  const watch = async (): Promise<void> => {
    try {
      followed.end = { answer: await call };
    } catch (error) {
      followed.end = error;
    }
  };
  void watch();
  return followed;
}

function rejectWhenAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

/** A connection that accepts requests and never responds. */
function swallowRequests(): void {
  vi.stubGlobal('fetch', (_path: string, init: RequestInit) => rejectWhenAborted(init.signal));
}

/** The response starts but never ends. */
function swallowContents(): void {
  vi.stubGlobal('fetch', (_path: string, { signal }: RequestInit) => {
    const content = new ReadableStream({
      start: (controller) => signal?.addEventListener('abort', () => controller.error(signal.reason)),
    });
    return Promise.resolve(new Response(content));
  });
}

const things = declareRoutes({
  read: { method: 'GET', path: '/api/things', answer: 'nothing' },
  add: { method: 'POST', path: '/api/things', answer: 'nothing' },
  put: { method: 'PUT', path: '/api/things', answer: 'nothing' },
  change: { method: 'PATCH', path: '/api/things', answer: 'nothing' },
  remove: { method: 'DELETE', path: '/api/things', answer: 'nothing' },
  follow: { method: 'POST', path: '/api/things/follow', answer: { lines: z.unknown() } },
  search: {
    method: 'POST',
    path: '/api/things/:thingId/parts',
    query: z.object({ q: z.string().optional(), after: z.string().optional() }),
    body: z.object({ size: z.number() }),
    answer: z.object({ count: z.number() }),
  },
});

const { follow: _stream, search: _search, ...plain } = things;
for (const route of Object.values(plain)) {
  test(`${route.method}: a call without an answer fails like a call to an unreachable service`, async () => {
    swallowRequests();
    const followed = follow(api.call(route));
    await vi.advanceTimersByTimeAsync(CALL_LIMIT_MS - 1);
    expect(followed.end).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(followed.end).toBeInstanceOf(ApiError);
    expect(followed.end).toMatchObject(NO_ANSWER);
  });
}

test('an answer that starts but never ends counts as no answer', async () => {
  swallowContents();
  const followed = follow(api.call(things.add));
  await vi.advanceTimersByTimeAsync(CALL_LIMIT_MS);
  expect(followed.end).toMatchObject(NO_ANSWER);
});

test('an aborted call ends at once and is not reported as a failure of the service', async () => {
  swallowRequests();
  const controller = new AbortController();
  const followed = follow(api.call(things.read, { signal: controller.signal }));
  controller.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(followed.end).toMatchObject({ name: 'AbortError' });
});

test('a response read line by line has no time limit', async () => {
  swallowRequests();
  const { signal } = new AbortController();
  const followed = follow(api.readLines(things.follow, { onLine: () => undefined, signal }));
  await vi.advanceTimersByTimeAsync(10 * CALL_LIMIT_MS);
  expect(followed.end).toBeUndefined();
});

function answerWith(content: unknown): { address: string; init: RequestInit }[] {
  const requests: { address: string; init: RequestInit }[] = [];
  vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
    requests.push({ address, init });
    return Promise.resolve(Response.json(content));
  });
  return requests;
}

const params = { thingId: 'a/b' };
const body = { size: 3 };

test('a call sends what the route declares and returns the answer that it declares', async () => {
  const requests = answerWith({ count: 2, more: true });
  const query = { q: 'a b', after: undefined };
  expect(await api.call(things.search, { params, query, body })).toEqual({ count: 2 });
  expect(requests[0]?.address).toBe('/api/things/a%2Fb/parts?q=a+b');
  expect(requests[0]?.init).toMatchObject({ method: 'POST', body: '{"size":3}' });
});

test('an answer that the route does not declare is a failure', async () => {
  answerWith({ count: 'two' });
  await expect(api.call(things.search, { params, body })).rejects.toMatchObject({ code: 'PANEL' });
});

test('a call that leaves out what the route needs, or adds what it does not know, does not compile', () => {
  const wrong = [
    // @ts-expect-error -- `params` and `body` are missing.
    () => api.call(things.search),
    // @ts-expect-error -- The path has another parameter.
    () => api.call(things.search, { params: { id: 'a' }, body }),
    // @ts-expect-error -- The size is a number.
    () => api.call(things.search, { params, body: { size: '3' } }),
    // @ts-expect-error -- The query has no `limit`.
    () => api.call(things.search, { params, body, query: { limit: 3 } }),
    // @ts-expect-error -- The route has no body.
    () => api.call(things.add, { body }),
    // @ts-expect-error -- A stream is not an answer to wait for.
    () => api.call(things.follow),
  ];
  expect(wrong).toHaveLength(6);
});
