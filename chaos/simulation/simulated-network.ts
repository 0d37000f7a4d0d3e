// Stands in for the sender: waits for a connection, checks once more that the attempt may begin, ends within 5 seconds.
import { NO_CONNECTION } from '../../src/webhooks/client/attempt-outcome.ts';
import type { AttemptOutcome, AttemptRequest, Sender } from '../../src/webhooks/client/sender.ts';
import type { Chance } from '../../harness/chance.ts';
import { behaviorAt, drawReaction, type SimulatedEndpoint } from './endpoints.ts';
import type { Mistake } from './mistakes.ts';
import type { Owner, Timeline } from './timeline.ts';
import type { Watch } from './watch.ts';

export interface NetworkDeps {
  timeline: Timeline;
  chance: Chance;
  watch: Watch;
  mistakes: ReadonlySet<Mistake>;
  findEndpoint(url: string): SimulatedEndpoint;
}

const DEADLINE_MS = 5_000;
/** Size of the pool that the mistake `one-crowd` shares among all endpoints. */
const SHARED_SLOTS = 1;

export function createSimulatedSender(deps: NetworkDeps, owner: Owner): Pick<Sender, 'send'> {
  const { timeline, chance, watch } = deps;
  let inUse = 0;
  const queue: (() => void)[] = [];

  function takeSlot(): Promise<void> {
    if (!deps.mistakes.has('one-crowd') || inUse < SHARED_SLOTS) {
      inUse += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => queue.push(resolve));
  }

  function giveSlot(): void {
    const next = queue.shift();
    if (next === undefined) inUse -= 1;
    else next();
  }

  const pause = (ms: number): Promise<void> => new Promise((resolve) => timeline.after(ms, resolve, owner));

  async function attempt(request: AttemptRequest): Promise<AttemptOutcome> {
    const startedAt = timeline.wall;
    const connectMs = chance.isTrue(0.05) ? chance.below(3_000) : chance.below(4);
    await pause(connectMs);
    if (request.mayBegin?.() === false)
      return describe({ ok: false, status: null, startedAt, endedAt: timeline.wall, errorClass: 'withdrawn' });
    const body = request.body.toString();
    watch.begin(body, owner);
    const { status, afterMs } = drawReaction(chance, behaviorAt(deps.findEndpoint(request.url), timeline.wall));
    const leftMs = DEADLINE_MS - connectMs;
    const isInTime = afterMs <= leftMs;
    // The receiver processes the webhook even if the answer is late or the sending node is gone.
    if (status !== null && status < 300 && Number.isFinite(afterMs)) {
      timeline.after(afterMs * 0.9, () => watch.process(body), null);
    }
    await pause(Math.min(afterMs, leftMs));
    watch.end(body, owner);
    const ok = isInTime && status !== null && status >= 200 && status <= 299;
    return describe({
      ok,
      status: isInTime ? status : null,
      startedAt,
      endedAt: timeline.wall,
      errorClass: ok ? null : isInTime ? 'http_status' : 'timeout',
    });
  }

  return {
    send: async (request) => {
      await takeSlot();
      try {
        return await attempt(request);
      } finally {
        giveSlot();
      }
    },
  };
}

type Result = Pick<AttemptOutcome, 'ok' | 'status' | 'startedAt' | 'endedAt' | 'errorClass'>;

function describe(result: Result): AttemptOutcome {
  return {
    ...result,
    ...NO_CONNECTION,
    errorText: null,
    totalMs: result.endedAt - result.startedAt,
  };
}
