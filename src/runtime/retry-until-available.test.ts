import { expect, test } from 'vitest';
import { retryUntilAvailable } from './retry-until-available.ts';

function setUp() {
  let nowMs = 0;
  const said: string[] = [];
  const stopping = new AbortController();
  const options = {
    explain: (error: unknown) => (error instanceof TypeError ? undefined : `Waiting: ${String(error)}`),
    say: (text: string) => void said.push(`${nowMs / 1_000} s ${text}`),
    clock: { monotonicMs: () => nowMs },
    signal: stopping.signal,
    pause: async (ms: number) => {
      nowMs += ms;
      if (nowMs > 60_000) stopping.abort();
    },
  };
  return { options, said, now: () => nowMs };
}

test('a wait is reported when it begins and every ten seconds', async () => {
  const { options, said, now } = setUp();
  const attempt = async (): Promise<string> => {
    if (now() < 25_000) throw new Error('gone');
    return 'there';
  };
  expect(await retryUntilAvailable(attempt, options)).toBe('there');
  expect(said).toEqual([0, 10, 20].map((seconds) => `${seconds} s Waiting: Error: gone`));
});

test('what is there at once is not reported', async () => {
  const { options, said } = setUp();
  expect(await retryUntilAvailable(async () => 1, options)).toBe(1);
  expect(said).toEqual([]);
});

test('an error that waiting cannot help is thrown at once', async () => {
  const { options, now } = setUp();
  const attempt = (): Promise<never> => Promise.reject(new TypeError('wrong password'));
  await expect(retryUntilAvailable(attempt, options)).rejects.toThrow('wrong password');
  expect(now()).toBe(0);
});

test('a stop ends the wait', async () => {
  const { options } = setUp();
  expect(await retryUntilAvailable(() => Promise.reject(new Error('gone')), options)).toBeUndefined();
});
