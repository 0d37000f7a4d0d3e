// Keeps this node registered as alive. Its leases are valid only while other nodes see its heartbeat, so it may start
// an attempt only if its last heartbeat is so recent that the attempt ends before anyone can declare the node dead.
import { setTimeout as delay } from 'node:timers/promises';
import type { SetAside } from '../../domain/upkeep/set-aside.ts';
import type { Platform } from '../../platform.ts';
import {
  recordHeartbeat,
  MAX_ATTEMPT_MS,
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
import { setDeliveriesAside } from './stuck-deliveries.ts';

const BEAT_INTERVAL_MS = 1_500;
const FRESH_MS = SILENCE_LIMIT_MS - MAX_ATTEMPT_MS;
const RECONNECT_MS = 500;

export interface PresenceOptions {
  databaseUrl: string;
  /** Nodes that do not deliver only listen for notifications. */
  isDelivering: boolean;
  /** Shown on the operator's page of nodes. */
  roles: readonly string[];
  channels: readonly string[];
  onNotification: (channel: string, payload: string) => void;
  /** Notifications may have been missed: anything derived from them may be out of date. */
  onConnected: () => void;
  /** The leases are lost, or will be. Has to drop what waits and resolve when nothing is in flight. */
  onLost(): Promise<void>;
  /** How to connect to the database; simulations replace it. */
  openSession?: typeof openSession;
}

type PresenceDeps = Pick<Platform, 'clock' | 'log'> & { db: Database; setAside: SetAside };

export class Presence {
  #deps: PresenceDeps;
  #options: PresenceOptions;
  #nodeId: string | null = null;
  /** A lost id that could not be retired because the database was unavailable. */
  #formerNodeId: string | null = null;
  #seenAtMs = Number.NEGATIVE_INFINITY;
  #isRetiring = false;

  constructor(deps: PresenceDeps, options: PresenceOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** The id under which this node may claim and start deliveries now, or null if it may not. */
  nodeId(): string | null {
    return this.#isRetiring || !this.#isFresh() ? null : this.#nodeId;
  }

  /** Stops new attempts; those in flight may still finish. */
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
      // Other nodes free the rest once the old id's heartbeat times out. This node needs a new id either way.
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
      // Before any claim: a failover may have moved the database to a server with another clock.
      await clockWatch.read();
      if (this.#options.isDelivering) await this.#register(session);
      onConnected();
      // One listener for the whole session: racing each pause against `closed` would add a listener per pause.
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
      // While stopping, attempts in flight still have to finish under this id.
      if (!signal.aborted) await this.#lose();
      await session.close().catch(() => undefined);
    }
  }

  async #register(session: Session): Promise<void> {
    // Nothing runs under the former id any more, so retire it now instead of waiting for its heartbeat to time out.
    await this.#retireFormer(session);
    const startedAtMs = this.#deps.clock.monotonicMs();
    this.#nodeId = await registerNode(session);
    this.#seenAtMs = startedAtMs;
    this.#deps.log.info({ event: 'node.registered', nodeId: this.#nodeId });
  }

  async #beat(session: Session, clockWatch: ClockWatch): Promise<void> {
    if (this.#nodeId === null) return;
    // Read before the statement: its answer proves that the node was seen no earlier than this.
    const startedAtMs = this.#deps.clock.monotonicMs();
    if (!(await recordHeartbeat(session, this.#nodeId))) throw new Error('this node was declared dead');
    this.#seenAtMs = startedAtMs;
    const askedAtMs = this.#deps.clock.monotonicMs();
    const { nodes, deliveries, databaseMs } = await this.#releaseDead(session);
    await clockWatch.note({ databaseMs, askedAtMs, answeredAtMs: this.#deps.clock.monotonicMs() });
    if (nodes > 0 || deliveries > 0) {
      this.#deps.log.warn({ event: 'nodes.released', nodes, deliveries });
      this.#options.onNotification('waybill_due', '');
    }
  }

  /** A delivery that cannot be freed must not end this node's presence, which would stop all its sending. */
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
      await setDeliveriesAside(this.#deps.setAside, failures);
      return { ...(await releaseDeadNodesAmong(session, [], now)), deliveries };
    }
  }

  async #lose(): Promise<void> {
    this.#seenAtMs = Number.NEGATIVE_INFINITY;
    await this.#options.onLost();
    // If the database does not answer, the next registration does this. Until then other nodes rely on the timeout.
    await this.retire().catch(() => undefined);
  }
}
