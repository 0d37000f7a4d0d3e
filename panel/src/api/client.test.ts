import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { api, CALL_LIMIT_MS, nothing } from './client.ts';

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

const CALLS = {
  get: () => api.get('/x', nothing),
  post: () => api.post('/x', {}, nothing),
  put: () => api.put('/x', {}, nothing),
  patch: () => api.patch('/x', {}, nothing),
  delete: () => api.delete('/x', nothing),
};

for (const [method, call] of Object.entries(CALLS)) {
  test(`${method}: a call without an answer fails like a call to an unreachable service`, async () => {
    swallowRequests();
    const followed = follow(call());
    await vi.advanceTimersByTimeAsync(CALL_LIMIT_MS - 1);
    expect(followed.end).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(followed.end).toBeInstanceOf(ApiError);
    expect(followed.end).toMatchObject(NO_ANSWER);
  });
}

test('an answer that starts but never ends counts as no answer', async () => {
  swallowContents();
  const followed = follow(api.post('/x', {}, nothing));
  await vi.advanceTimersByTimeAsync(CALL_LIMIT_MS);
  expect(followed.end).toMatchObject(NO_ANSWER);
});

test('an aborted call ends at once and is not reported as a failure of the service', async () => {
  swallowRequests();
  const controller = new AbortController();
  const followed = follow(api.get('/x', nothing, { signal: controller.signal }));
  controller.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(followed.end).toMatchObject({ name: 'AbortError' });
});

test('a response read line by line has no time limit', async () => {
  swallowRequests();
  const { signal } = new AbortController();
  const followed = follow(api.postForLines('/x', {}, { schema: z.unknown(), onLine: () => undefined, signal }));
  await vi.advanceTimersByTimeAsync(10 * CALL_LIMIT_MS);
  expect(followed.end).toBeUndefined();
});
