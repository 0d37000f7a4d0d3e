// The planning threads as the service sees them: one request at a time to each, and an area always to the same thread,
// because that one knows its travel times. A thread that dies is replaced, and its request fails.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../platform.ts';
import type { AreaAnswer, AreaQuestion } from '../areas/updates.ts';
import type { CourierQuote, QuoteRequest } from '../areas/plan-request.ts';
import type { ThreadMessage, ThreadOrder, ThreadQuestion, ThreadTask } from './planning-thread.ts';
import type { ProviderSettings } from '../travel/provider.ts';

/** TypeScript in a checkout, JavaScript in the package. */
const ENTRY = new URL(`planning-thread${path.extname(import.meta.filename)}`, import.meta.url);

export interface ThreadAnswer {
  answer: AreaAnswer;
  durationMs: number;
}

export interface PlanThreads {
  /** After a failure the thread may have lost its state: the next request must contain the whole area. */
  plan(areaId: string, question: AreaQuestion): Promise<ThreadAnswer>;
  /** The area is planned elsewhere, or not at all. */
  forget(areaId: string): void;
  quote(areaId: string, request: QuoteRequest): Promise<CourierQuote[]>;
  close(): Promise<void>;
}

export interface PlanThreadsDeps {
  log: Log;
  settings: ProviderSettings;
  onLearned(): void;
  /** One processor is left to the API. */
  count?: number;
}

export function createPlanThreads(deps: PlanThreadsDeps): PlanThreads {
  const count = deps.count ?? Math.max(1, availableParallelism() - 1);
  const threads: (PlanThread | undefined)[] = Array.from({ length: count });
  const numbers = new Map<string, number>();
  const threadOf = (areaId: string): PlanThread => {
    const number = numbers.get(areaId) ?? numbers.size % count;
    numbers.set(areaId, number);
    const thread = threads[number] ?? new PlanThread(deps, () => (threads[number] = undefined));
    threads[number] = thread;
    return thread;
  };
  return {
    async plan(areaId, question) {
      const message = await threadOf(areaId).ask({ kind: 'plan', areaId, question });
      if (message.kind !== 'planned') throw new Error('the planning thread answered a different request');
      return message;
    },
    forget(areaId) {
      threads[numbers.get(areaId) ?? -1]?.forget(areaId);
    },
    async quote(areaId, request) {
      const message = await threadOf(areaId).ask({ kind: 'quote', request });
      if (message.kind !== 'quoted') throw new Error('the planning thread answered a different request');
      return message.quotes;
    },
    async close() {
      await Promise.all(threads.map(async (thread) => thread?.close()));
    },
  };
}

type AnswerMessage = Extract<ThreadMessage, { kind: 'planned' | 'quoted' }>;

interface Asked {
  resolve: (message: AnswerMessage) => void;
  reject: (error: Error) => void;
}

class PlanThread {
  readonly #worker: Worker;
  readonly #asked = new Map<number, Asked>();
  #lastNumber = 0;

  constructor(deps: PlanThreadsDeps, onEnd: () => void) {
    this.#worker = new Worker(ENTRY, { workerData: deps.settings satisfies ProviderSettings });
    // A thread that has nothing to do must not keep the process alive.
    this.#worker.unref();
    this.#worker.on('message', (message: ThreadMessage) => this.#take(message, deps));
    this.#worker.on('error', (error) => deps.log.error({ event: 'planner.thread_failed', reason: String(error) }));
    this.#worker.on('exit', () => {
      onEnd();
      for (const { reject } of this.#asked.values()) reject(new Error('the planning thread ended'));
      this.#asked.clear();
    });
  }

  ask(asked: ThreadTask): Promise<AnswerMessage> {
    this.#lastNumber += 1;
    const question: ThreadQuestion = { number: this.#lastNumber, ...asked };
    return new Promise((resolve, reject) => {
      this.#asked.set(question.number, { resolve, reject });
      this.#worker.postMessage(question, []);
    });
  }

  forget(areaId: string): void {
    this.#worker.postMessage({ kind: 'forget', areaId } satisfies ThreadOrder, []);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #take(message: ThreadMessage, deps: PlanThreadsDeps): void {
    switch (message.kind) {
      case 'planned':
      case 'quoted':
        this.#settle(message.number)?.resolve(message);
        return;
      case 'failure':
        this.#settle(message.number)?.reject(new Error(message.reason));
        return;
      case 'learned':
        deps.onLearned();
        return;
      case 'provider_failed':
        deps.log.warn({ event: 'planner.travel_times_failed', reason: message.reason });
    }
  }

  #settle(number: number): Asked | undefined {
    const asked = this.#asked.get(number);
    this.#asked.delete(number);
    return asked;
  }
}
