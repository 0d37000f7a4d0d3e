// Writes down what attempts came to. Results that end together are committed together.
import { setTimeout as delay } from 'node:timers/promises';
import type { Platform } from '../platform.ts';
import { recordAttempts, recordEndpointHealth, type AttemptRecord, type EndpointHealth } from '../store/attempts.ts';
import type { Database } from '../store/database.ts';

const MOST_RESULTS_A_COMMIT = 500;
const RETRY_MS = 250;
const TRIES = 20;
// Successes of a healthy endpoint are news only now and then.
const HEALTH_INTERVAL_MS = 5_000;

interface Result {
  nodeId: string;
  record: AttemptRecord;
  resolve(): void;
}

export class AttemptRecorder {
  #deps: Pick<Platform, 'clock' | 'log'> & { db: Database };
  #waiting: Result[] = [];
  #isFlushing = false;
  #idleWaiters: (() => void)[] = [];
  #healthToldAtMs = new Map<string, number>();

  constructor(deps: Pick<Platform, 'clock' | 'log'> & { db: Database }) {
    this.#deps = deps;
  }

  /** Resolves when the result is committed, or given up: then the lease runs out and the delivery is sent again. */
  record(nodeId: string, record: AttemptRecord): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ nodeId, record, resolve });
      if (!this.#isFlushing) {
        this.#isFlushing = true;
        setImmediate(() => void this.#flush());
      }
    });
  }

  async idle(): Promise<void> {
    if (this.#isFlushing) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One node id a commit; it changes only when this node was declared dead in between.
      const nodeId = this.#waiting[0]?.nodeId ?? '';
      const foreign = this.#waiting.findIndex((result) => result.nodeId !== nodeId);
      const batch = this.#waiting.slice(0, Math.min(MOST_RESULTS_A_COMMIT, foreign === -1 ? Infinity : foreign));
      this.#waiting = this.#waiting.slice(batch.length);
      await this.#commit(nodeId, batch);
      for (const result of batch) result.resolve();
    }
    this.#isFlushing = false;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  async #commit(nodeId: string, batch: readonly Result[]): Promise<void> {
    const records = batch.map((result) => result.record);
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      try {
        const counted = await recordAttempts(this.#deps.db, nodeId, records);
        for (const record of records) this.#log(record, counted.has(record.eventId));
        await this.#tellHealth(records);
        return;
      } catch (error) {
        if (attempt === 1) this.#deps.log.warn({ event: 'attempts.not_recorded', reason: String(error) });
        await delay(RETRY_MS);
      }
    }
  }

  async #tellHealth(records: readonly AttemptRecord[]): Promise<void> {
    const news = new Map<string, EndpointHealth>();
    for (const record of records) {
      const key = `${record.restaurantId}/${record.endpoint}`;
      const entry = news.get(key) ?? {
        restaurantId: record.restaurantId,
        endpoint: record.endpoint,
        lastSuccessAt: null,
        lastFailureAt: null,
        lastError: null,
      };
      if (record.delivered) {
        entry.lastSuccessAt = record.endedAt;
      } else {
        entry.lastFailureAt = record.endedAt;
        entry.lastError = record.errorText ?? record.errorClass;
      }
      news.set(key, entry);
    }
    const nowMs = this.#deps.clock.monotonicMs();
    const worthTelling = [...news].filter(([key, entry]) => {
      const isNews =
        entry.lastFailureAt !== null || nowMs - (this.#healthToldAtMs.get(key) ?? -Infinity) > HEALTH_INTERVAL_MS;
      // After a failure the next success is news at once.
      if (entry.lastFailureAt !== null) this.#healthToldAtMs.delete(key);
      else if (isNews) this.#healthToldAtMs.set(key, nowMs);
      return isNews;
    });
    if (worthTelling.length > 0) {
      await recordEndpointHealth(
        this.#deps.db,
        worthTelling.map(([, entry]) => entry),
      );
    }
  }

  #log(record: AttemptRecord, counted: boolean): void {
    this.#deps.log.info({
      event: 'delivery.attempted',
      eventId: record.eventId,
      restaurantId: record.restaurantId,
      endpoint: record.endpoint,
      number: record.number,
      delivered: record.delivered,
      status: record.status,
      errorClass: record.errorClass,
      totalMs: Math.round(record.totalMs * 10) / 10,
      reusedConnection: record.reusedConnection,
      counted,
    });
  }
}
