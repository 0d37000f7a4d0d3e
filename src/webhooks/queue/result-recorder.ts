// Records the results of attempts. Results that arrive together are committed together. Its phases:
//
// - `idle`: nothing waits. A result moves it to `gathering`.
// - `gathering`: results wait for others until the timer fires, there are enough of them, or someone waits for `idle`.
//   Each of these moves it to `committing`.
// - `committing`: a commit is running, and results that arrive wait for the next one. When too few are left for a
//   commit, it moves back to `gathering`; when none are left, to `idle`.
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, type SetAside } from '../../domain/upkeep/set-aside.ts';
import type { Platform } from '../../platform.ts';
import {
  postponeUnrecorded,
  recordAttempts,
  recordEndpointHealth,
  type AttemptRecord,
  type EndpointHealth,
  type RecordedAttempts,
} from '../../store/webhooks/attempts.ts';
import { DatabaseUnavailable, type Database, type Queryable } from '../../store/database/database.ts';
import { confirmReplicated } from '../../store/database/replicated.ts';

const MAX_RESULTS_PER_COMMIT = 500;
// A commit costs nearly the same for one result as for many. The delay blocks nothing: if the node dies before the
// commit, a few more webhooks are sent twice.
const ENOUGH_FOR_A_COMMIT = 200;
const MAX_WAIT_MS = 50;
const RETRY_MS = 250;
/** While stopping. */
const TRIES = 20;
/** For a result that cannot be written although the database is available. */
const TRIES_ALONE = 3;
// Successes of a healthy endpoint are written only this often.
const HEALTH_INTERVAL_MS = 5_000;

type Phase = 'idle' | 'gathering' | 'committing';

interface Result {
  nodeId: string;
  record: AttemptRecord;
  resolve(): void;
}

type RecorderDeps = Pick<Platform, 'clock' | 'log'> & {
  db: Database;
  setAside: SetAside;
  /** Between two tries. */
  pause?: (ms: number) => Promise<void>;
};

export class AttemptRecorder {
  #deps: RecorderDeps;
  #waiting: Result[] = [];
  #phase: Phase = 'idle';
  #gatheringTimer: NodeJS.Timeout | undefined;
  #idleWaiters: (() => void)[] = [];
  #healthReportedAtMs = new Map<string, number>();
  #isStopping = false;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the result is committed. Waits while the database is unavailable: if the result were dropped, a
   * failed attempt would be repeated as soon as the database is back, long before its retry is due.
   */
  record(nodeId: string, record: AttemptRecord): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ nodeId, record, resolve });
      if (this.#phase === 'committing') return;
      if (this.#waiting.length >= ENOUGH_FOR_A_COMMIT) void this.#flush();
      else if (this.#phase === 'idle') this.#gather();
    });
  }

  #gather(): void {
    this.#phase = 'gathering';
    this.#gatheringTimer = setTimeout(() => void this.#flush(), MAX_WAIT_MS);
  }

  /** From now on, give up if the database stays unavailable. */
  beginStopping(): void {
    this.#isStopping = true;
  }

  async idle(): Promise<void> {
    if (this.#phase === 'idle') return;
    const isIdle = new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    if (this.#phase === 'gathering') void this.#flush();
    await isIdle;
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#gatheringTimer);
    this.#phase = 'committing';
    do {
      // One node id per commit; the id changes only when this node was declared dead in between.
      const nodeId = this.#waiting[0]?.nodeId ?? '';
      const foreign = this.#waiting.findIndex((result) => result.nodeId !== nodeId);
      const batch = this.#waiting.slice(0, Math.min(MAX_RESULTS_PER_COMMIT, foreign === -1 ? Infinity : foreign));
      this.#waiting = this.#waiting.slice(batch.length);
      await this.#commit(nodeId, batch);
      for (const result of batch) result.resolve();
    } while (this.#waiting.length >= ENOUGH_FOR_A_COMMIT || (this.#idleWaiters.length > 0 && this.#waiting.length > 0));
    if (this.#waiting.length > 0) {
      this.#gather();
      return;
    }
    this.#phase = 'idle';
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  async #commit(nodeId: string, batch: readonly Result[]): Promise<void> {
    const records = batch.map((result) => result.record);
    for (let tries = 1, isFirst = true; tries <= TRIES; isFirst = false) {
      try {
        const { eventIds, reported } = await this.#deps.db.transaction((tx) => this.#write(tx, nodeId, records));
        const nowMs = this.#deps.clock.monotonicMs();
        for (const key of reported) this.#healthReportedAtMs.set(key, nowMs);
        for (const record of records) this.#log(record, eventIds.has(record.eventId));
        return;
      } catch (error) {
        if (isFirst) this.#deps.log.warn({ event: 'attempts.not_recorded', reason: String(error) });
        const isAway = error instanceof DatabaseUnavailable;
        if (!isAway && batch.length > 1) return this.#commitApart(nodeId, batch);
        if (!isAway && tries >= TRIES_ALONE) return this.#giveUp(nodeId, records, error);
        if (this.#isStopping || !isAway) tries += 1;
        await (this.#deps.pause ?? delay)(RETRY_MS);
      }
    }
    for (const { eventId } of records) this.#deps.log.error({ event: 'attempts.given_up', eventId });
  }

  /** One result that cannot be written must not fail the others. */
  async #commitApart(nodeId: string, batch: readonly Result[]): Promise<void> {
    const middle = batch.length >> 1;
    await this.#commit(nodeId, batch.slice(0, middle));
    await this.#commit(nodeId, batch.slice(middle));
  }

  /** Postpones the delivery to its next retry: sent again immediately and never recorded, it would loop endlessly. */
  async #giveUp(nodeId: string, records: readonly AttemptRecord[], error: unknown): Promise<void> {
    const { db, clock, log, setAside } = this.#deps;
    for (const { eventId, restaurantId, number } of records) {
      log.error({ event: 'attempts.given_up', eventId, reason: describeError(error) });
      const reason = `An attempt of event ${eventId} cannot be recorded: ${describeError(error)}`;
      await setAside.report('webhooks', [{ kind: 'restaurant', id: restaurantId, reason }]);
      // If that fails too, the sweep frees it.
      await postponeUnrecorded(db, { nodeId, eventId, number, now: clock.now() }).catch(() => undefined);
    }
  }

  /** Writes the results and the endpoint health they imply in one transaction, so that neither is visible alone. */
  async #write(
    tx: Queryable,
    nodeId: string,
    records: readonly AttemptRecord[],
  ): Promise<RecordedAttempts & { reported: string[] }> {
    const recorded = await recordAttempts(tx, nodeId, records);
    // A result that does not count may have been recorded by a commit whose answer was lost.
    if (recorded.eventIds.size < records.length) await confirmReplicated(tx);
    const nowMs = this.#deps.clock.monotonicMs();
    const news = [...summarize(records)].filter(([key, entry]) => {
      // A success of a failing endpoint is written immediately, whichever node saw it fail.
      if (entry.lastFailureAt !== null || recorded.recovering.has(key)) return true;
      return nowMs - (this.#healthReportedAtMs.get(key) ?? -Infinity) > HEALTH_INTERVAL_MS;
    });
    if (news.length > 0) {
      await recordEndpointHealth(
        tx,
        news.map(([, entry]) => entry),
      );
    }
    return { ...recorded, reported: news.map(([key]) => key) };
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

/** The last success and the last failure of each endpoint. */
function summarize(records: readonly AttemptRecord[]): Map<string, EndpointHealth> {
  const byEndpoint = new Map<string, EndpointHealth>();
  for (const record of records) {
    const key = `${record.restaurantId}/${record.endpoint}`;
    let entry = byEndpoint.get(key);
    if (entry === undefined) {
      const { restaurantId, endpoint } = record;
      entry = { restaurantId, endpoint, lastSuccessAt: null, lastFailureAt: null, lastError: null };
      byEndpoint.set(key, entry);
    }
    if (record.delivered) {
      entry.lastSuccessAt = record.endedAt;
    } else {
      entry.lastFailureAt = record.endedAt;
      entry.lastError = record.errorText ?? record.errorClass;
    }
  }
  return byEndpoint;
}
