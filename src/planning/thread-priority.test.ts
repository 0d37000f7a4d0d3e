import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const PRIORITY = new URL('thread-priority.ts', import.meta.url).href;

/** Says how its own thread is scheduled. */
const THREAD = `
  import { readlinkSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { parentPort } from 'node:worker_threads';
  import { yieldToOthers } from '${PRIORITY}';
  const done = yieldToOthers();
  parentPort.postMessage({ done, niceness: getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))) });
`;

test.runIf(process.platform === 'linux')(
  'a planning thread stands back, and the process that it is in does not',
  async () => {
    const before = getPriority(process.pid);
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`));
    const [answer] = await once(worker, 'message');
    expect(answer).toEqual({ done: true, niceness: Math.min(19, before + 5) });
    expect(getPriority(process.pid)).toBe(before);
    await worker.terminate();
  },
);
