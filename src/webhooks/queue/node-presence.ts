// Keeps this node known to the others. Its leases are good only while it is seen alive, so it may start an attempt
// only when it was seen so recently that the attempt will have ended before anybody could declare it dead.
import { setTimeout as delay } from 'node:timers/promises';
import type { SetAside } from '../../domain/upkeep/set-aside.ts';
import type { Platform } from '../../platform.ts';
import {
  beatNode,
  LONGEST_ATTEMPT_MS,
  registerNode,
  listStrayLeases,
  releaseDeadNodes,
  releaseDeadNodesAmong,
  retireNode,
  SILENCE_LIMIT_MS,
  type ReleasedByDeath,
} from '../../store/upkeep/nodes.ts';
import { DatabaseUnavailable, toUnavailable, type Database, type Queryable } from '../../store/database/database.ts';
import { openSession, type Session } from '../../store/database/dedicated-connection.ts';
import { runSplitting } from '../../store/database/split-batch.ts';
import { createClockWatch, type ClockWatch } from './clock-check.ts';
import { reportStuck } from './stuck-deliveries.ts';

const BEAT_INTERVAL_MS = 1_500;
const FRESH_MS = SILENCE_LIMIT_MS - LONGEST_ATTEMPT_MS;
const RECONNECT_MS = 500;

export interface PresenceOptions {
  databaseUrl: string;
  /** Nodes that do not deliver only listen. */
  isDelivering: boolean;
  /** For whoever looks at the nodes. */
  roles: readonly string[];
  channels: readonly string[];
  onNotification: (channel: string, payload: string) => void;
  /** Everything that was learnt by notifications may be out of date. */
  onConnected: () => void;
  /** The leases are lost, or will be: forgets what waits and resolves when nothing is under way any more. */
  onLost(): Promise<void>;
  /** How to reach the database; a simulation has a way of its own. */
  openSession?: typeof openSession;
}

type PresenceDeps = Pick<Platform, 'clock' | 'log'> & { db: Database; setAside: SetAside };

export class Presence {
  #deps: PresenceDeps;
  #options: PresenceOptions;
  #nodeId: string | null = null;
  /** An id that was lost and could not be given back, because the database was away. */
  #formerNodeId: string | null = null;
  #seenAtMs = Number.NEGATIVE_INFINITY;
  #isRetiring = false;

  constructor(deps: PresenceDeps, options: PresenceOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** The id under which this node may take and start deliveries now, if it may. */
  nodeId(): string | null {
    return this.#isRetiring || !this.#isFresh() ? null : this.#nodeId;
  }

  /** From now on nothing new; what is under way may still finish. */
  beginRetiring(): void {
    this.#isRetiring = true;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#live(signal);
      } catch (error) {
        this.#deps.log.warn({ event: 'presence.lost', reason: String(error) });
      }
      if (!signal.aborted) await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async retire(): Promise<void> {
    this.#formerNodeId = this.#nodeId ?? this.#formerNodeId;
    this.#nodeId = null;
    await this.#retireFormer(this.#deps.db);
  }

  async #retireFormer(db: Queryable): Promise<void> {
    try {
      if (this.#formerNodeId !== null) await retireNode(db, this.#formerNodeId);
    } catch (error) {
      // What cannot be freed is found by its node's silence; this node needs a new id all the same.
      if (toUnavailable(error) instanceof DatabaseUnavailable) throw error;
      this.#deps.log.warn({ event: 'node.not_retired', nodeId: this.#formerNodeId, reason: String(error) });
    }
    this.#formerNodeId = null;
  }

  #isFresh(): boolean {
    return this.#deps.clock.monotonicMs() - this.#seenAtMs < FRESH_MS;
  }

  async #live(signal: AbortSignal): Promise<void> {
    const { databaseUrl, roles, channels, onNotification, onConnected } = this.#options;
    const open = this.#options.openSession ?? openSession;
    const session = await open({ url: databaseUrl, roles, channels, onNotification });
    try {
      const clockWatch = createClockWatch(this.#deps, { session, roles });
      // Before anything is claimed: another server may have taken over, with another clock.
      await clockWatch.read();
      if (this.#options.isDelivering) await this.#register(session);
      onConnected();
      // Once for the whole session: racing each pause against `closed` would pile up on it for as long as it lasts.
      const lost = new AbortController();
      void session.closed.then(() => lost.abort());
      const ended = AbortSignal.any([signal, lost.signal]);
      while (!signal.aborted) {
        if (this.#options.isDelivering) await this.#beat(session, clockWatch);
        else await clockWatch.read();
        await delay(BEAT_INTERVAL_MS, undefined, { signal: ended }).catch(() => undefined);
        if (lost.signal.aborted) throw new Error('the connection to the database is gone');
      }
    } finally {
      // While stopping, what is under way still has to be finished under this id.
      if (!signal.aborted) await this.#lose();
      await session.close().catch(() => undefined);
    }
  }

  async #register(session: Session): Promise<void> {
    // Nothing of it is under way any more, so nobody has to wait until its silence is long enough.
    await this.#retireFormer(session);
    const startedAtMs = this.#deps.clock.monotonicMs();
    this.#nodeId = await registerNode(session);
    this.#seenAtMs = startedAtMs;
    this.#deps.log.info({ event: 'node.registered', nodeId: this.#nodeId });
  }

  async #beat(session: Session, clockWatch: ClockWatch): Promise<void> {
    if (this.#nodeId === null) return;
    // The moment before the question: the answer proves that the node was seen no earlier.
    const startedAtMs = this.#deps.clock.monotonicMs();
    if (!(await beatNode(session, this.#nodeId))) throw new Error('this node was declared dead');
    this.#seenAtMs = startedAtMs;
    const askedAtMs = this.#deps.clock.monotonicMs();
    const { nodes, deliveries, databaseMs } = await this.#releaseDead(session);
    await clockWatch.note({ databaseMs, askedAtMs, answeredAtMs: this.#deps.clock.monotonicMs() });
    if (nodes > 0 || deliveries > 0) {
      this.#deps.log.warn({ event: 'nodes.released', nodes, deliveries });
      this.#options.onNotification('waybill_due', '');
    }
  }

  /** A delivery that cannot be freed must not end this node's presence, and with it everything that it sends. */
  async #releaseDead(session: Session): Promise<ReleasedByDeath> {
    const now = this.#deps.clock.now();
    try {
      return await releaseDeadNodes(session, now);
    } catch (error) {
      if (toUnavailable(error) instanceof DatabaseUnavailable) throw error;
      let deliveries = 0;
      const failures = await runSplitting(await listStrayLeases(session), async (some) => {
        const released = await releaseDeadNodesAmong(
          session,
          some.map(({ eventId }) => eventId),
          now,
        );
        deliveries += released.deliveries;
      });
      await reportStuck(this.#deps.setAside, failures);
      return { ...(await releaseDeadNodesAmong(session, [], now)), deliveries };
    }
  }

  async #lose(): Promise<void> {
    this.#seenAtMs = Number.NEGATIVE_INFINITY;
    await this.#options.onLost();
    // When the database does not answer, it is done at the next registration; until then others go by the silence.
    await this.retire().catch(() => undefined);
  }
}
