// Records what came of attempts. Results that end together are committed together. Its phases:
//
// - `idle`: nothing waits. A result moves it to `gathering`.
// - `gathering`: results wait for others until a timer is over, there are enough of them, or somebody waits for `idle`.
//   Each of these moves it to `committing`.
// - `committing`: a commit is under way, and what arrives meanwhile waits for the next. When what is left is too little
//   for a commit, it moves back to `gathering`; when nothing is left, to `idle`.
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

const MOST_RESULTS_A_COMMIT = 500;
// A commit costs nearly the same for one result as for many. Nobody waits for it: should the node die in the meantime,
// a few more webhooks are sent twice.
const ENOUGH_FOR_A_COMMIT = 200;
const LONGEST_WAIT_MS = 50;
const RETRY_MS = 250;
/** While stopping. */
const TRIES = 20;
/** For a result that cannot be written although the database works. */
const TRIES_ALONE = 3;
// Successes of a healthy endpoint are news only now and then.
const HEALTH_INTERVAL_MS = 5_000;

type Phase = 'idle' | 'gathering' | 'committing';

interface Result {
  nodeId: string;
  record: AttemptRecord;
  resolve(): void;
}

type RecorderDeps = Pick<Platform, 'clock' | 'log'> & { db: Database; setAside: SetAside };

export class AttemptRecorder {
  #deps: RecorderDeps;
  #waiting: Result[] = [];
  #phase: Phase = 'idle';
  #gatheringTimer: NodeJS.Timeout | undefined;
  #idleWaiters: (() => void)[] = [];
  #healthToldAtMs = new Map<string, number>();
  #isStopping = false;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the result is committed. While the database is away it waits: given up, a failed attempt would be
   * repeated as soon as the database is back, long before its step of the ladder is over.
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
    this.#gatheringTimer = setTimeout(() => void this.#flush(), LONGEST_WAIT_MS);
  }

  /** From now on a database that stays away is not waited for. */
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
      // One node id a commit; it changes only when this node was declared dead in between.
      const nodeId = this.#waiting[0]?.nodeId ?? '';
      const foreign = this.#waiting.findIndex((result) => result.nodeId !== nodeId);
      const batch = this.#waiting.slice(0, Math.min(MOST_RESULTS_A_COMMIT, foreign === -1 ? Infinity : foreign));
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
        const { eventIds, told } = await this.#deps.db.transaction((tx) => this.#write(tx, nodeId, records));
        const nowMs = this.#deps.clock.monotonicMs();
        for (const key of told) this.#healthToldAtMs.set(key, nowMs);
        for (const record of records) this.#log(record, eventIds.has(record.eventId));
        return;
      } catch (error) {
        if (isFirst) this.#deps.log.warn({ event: 'attempts.not_recorded', reason: String(error) });
        const isAway = error instanceof DatabaseUnavailable;
        if (!isAway && batch.length > 1) return this.#commitApart(nodeId, batch);
        if (!isAway && tries >= TRIES_ALONE) return this.#giveUp(nodeId, records, error);
        if (this.#isStopping || !isAway) tries += 1;
        await delay(RETRY_MS);
      }
    }
    for (const { eventId } of records) this.#deps.log.error({ event: 'attempts.given_up', eventId });
  }

  /** One that cannot be written must not take the others with it. */
  async #commitApart(nodeId: string, batch: readonly Result[]): Promise<void> {
    const middle = batch.length >> 1;
    await this.#commit(nodeId, batch.slice(0, middle));
    await this.#commit(nodeId, batch.slice(middle));
  }

  /** Sent again at once, and again not recorded, it would go on and on: so it waits for its step of the ladder. */
  async #giveUp(nodeId: string, records: readonly AttemptRecord[], error: unknown): Promise<void> {
    const { db, clock, log, setAside } = this.#deps;
    for (const { eventId, restaurantId, number } of records) {
      log.error({ event: 'attempts.given_up', eventId, reason: describeError(error) });
      const reason = `An attempt of event ${eventId} cannot be recorded: ${describeError(error)}`;
      await setAside.report('webhooks', [{ kind: 'restaurant', id: restaurantId, reason }]);
      // Should that fail too, the sweep frees it.
      await postponeUnrecorded(db, { nodeId, eventId, number, now: clock.now() }).catch(() => undefined);
    }
  }

  /** The results, and what they say about endpoints, so that neither is known without the other. */
  async #write(
    tx: Queryable,
    nodeId: string,
    records: readonly AttemptRecord[],
  ): Promise<RecordedAttempts & { told: string[] }> {
    const recorded = await recordAttempts(tx, nodeId, records);
    const nowMs = this.#deps.clock.monotonicMs();
    const news = [...summarise(records)].filter(([key, entry]) => {
      // A failing endpoint that accepts something is news at once, whichever node saw it fail.
      if (entry.lastFailureAt !== null || recorded.recovering.has(key)) return true;
      return nowMs - (this.#healthToldAtMs.get(key) ?? -Infinity) > HEALTH_INTERVAL_MS;
    });
    if (news.length > 0) {
      await recordEndpointHealth(
        tx,
        news.map(([, entry]) => entry),
      );
    }
    return { ...recorded, told: news.map(([key]) => key) };
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

/** By endpoint: the last success and the last failure among some results. */
function summarise(records: readonly AttemptRecord[]): Map<string, EndpointHealth> {
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
