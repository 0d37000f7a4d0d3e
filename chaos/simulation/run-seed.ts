// Runs one seed from its first order until every delivery has arrived, days of simulated time later.
import { HOUR_MS } from '../../src/domain/time.ts';
import type { NewEvent } from '../../src/store/orders/write-columns.ts';
import { createChance, type Chance } from '../../harness/chance.ts';
import { behaviorAt } from './endpoints.ts';
import { FOCUS, type Mistake } from './mistakes.ts';
import { drawScenario, type Happening, type Scenario } from './scenario.ts';
import type { Server } from './simulated-database.ts';
import { SimulatedNode, type NodeDeps, type WantedChange } from './simulated-node.ts';
import { SimulatedStore } from './simulated-store.ts';
import { simulatedId } from './statement-values.ts';
import { Timeline } from './timeline.ts';
import { Watch } from './watch.ts';
import { isWanted } from './claim-rules.ts';

export interface SeedReport {
  seed: number;
  violations: string[];
  events: number;
  attempts: number;
  duplicates: number;
  simulatedMs: number;
}

type Change = Extract<Happening, { kind: 'change' }>;

/** After the last disturbance, a healthy endpoint is served within this time. */
const CALM_BOUND_MS = 20_000;
/** If answers are lost throughout the run, some deliveries are found only by the second sweep after the next. */
const LOSSY_BOUND_MS = 120_000;
/** A violation if something is due, no fault is active and no attempt starts for this long. */
const STANDSTILL_MS = 120_000;
const PATIENCE_MS = 4 * 24 * HOUR_MS;
/** Shorter idle periods are simulated rather than skipped. */
const MIN_LEAP_MS = 3_000;

export async function runSeed(seed: number, mistakes: ReadonlySet<Mistake> = new Set()): Promise<SeedReport> {
  const world = new World(seed, mistakes);
  return world.run();
}

class World {
  #timeline = new Timeline();
  #chance: Chance;
  #scenario: Scenario;
  #watch: Watch;
  #server: Server;
  #store: SimulatedStore;
  #nodes: SimulatedNode[] = [];
  #nodeDeps: NodeDeps;
  #mistakes: ReadonlySet<Mistake>;
  #versions = new Map<string, number>();
  #activeFaults = 0;
  #lastEvent = 0;
  #progress = { attempts: 0, atMs: 0 };
  #startedAt: number;

  constructor(seed: number, mistakes: ReadonlySet<Mistake>) {
    this.#timeline.takeOverTimers();
    this.#startedAt = this.#timeline.wall;
    this.#mistakes = mistakes;
    this.#chance = createChance(seed ^ 0x5eed);
    const [mistake] = mistakes;
    this.#scenario = drawScenario(seed, this.#startedAt, mistake === undefined ? {} : FOCUS[mistake]);
    const timeline = this.#timeline;
    this.#watch = new Watch(timeline, this.#scenario.lossRate > 0 ? LOSSY_BOUND_MS : CALM_BOUND_MS);
    this.#store = new SimulatedStore({
      mistakes,
      nowMs: () => timeline.nowMs,
      onNotify: () => {
        for (const node of this.#nodes) node.notify();
      },
      onRecorded: (record) => this.#watch.recorded(record),
      onFreed: (eventId) => this.#watch.freed(eventId),
    });
    const { lossRate, slowRate } = this.#scenario;
    this.#server = { store: this.#store, isDown: false, pausedUntilMs: 0, lossRate, slowRate, underWay: 0 };
    const shared = { timeline, chance: this.#chance, mistakes };
    const findEndpoint = (url: string) => this.#endpointOf(new URL(url).pathname.split('/')[1] ?? '');
    this.#nodeDeps = { ...shared, server: this.#server, network: { ...shared, watch: this.#watch, findEndpoint } };
  }

  async run(): Promise<SeedReport> {
    for (const { restaurantId } of this.#scenario.endpoints) this.#register(restaurantId, true);
    for (let index = 0; index < this.#scenario.nodes; index += 1) this.#nodes.push(new SimulatedNode(this.#nodeDeps));
    const plan = this.#scenario.happenings.map(({ afterMs, what }) => ({ at: this.#startedAt + afterMs, what }));
    const givesUpAt = (plan.at(-1)?.at ?? 0) + PATIENCE_MS;
    let next = 0;
    while (this.#watch.violations.length === 0) {
      for (let due = plan[next]; due !== undefined && due.at <= this.#timeline.wall; due = plan[next]) {
        next += 1;
        this.#happen(due.what);
      }
      if (next === plan.length && this.#isAllDone()) break;
      this.#leap(plan[next]?.at);
      if (!(await this.#timeline.step())) throw new Error('Nothing is scheduled');
      this.#lookForStandstill();
      if (this.#timeline.wall > givesUpAt) this.#watch.complain(`never becomes idle: ${this.#describeQueue()}`);
    }
    this.#watch.finish(new Set(this.#store.deliveries.keys()));
    return {
      seed: this.#scenario.seed,
      violations: this.#watch.violations,
      events: this.#timeline.happened,
      attempts: this.#watch.attempts,
      duplicates: this.#watch.duplicates,
      simulatedMs: this.#timeline.wall - this.#startedAt,
    };
  }

  #lookForStandstill(): void {
    const { nowMs } = this.#timeline;
    const { attempts } = this.#watch;
    if (attempts !== this.#progress.attempts || this.#activeFaults > 0) this.#progress = { attempts, atMs: nowMs };
    if (nowMs - this.#progress.atMs < STANDSTILL_MS) return;
    this.#progress.atMs = nowMs;
    const isWaiting = [...this.#store.deliveries.values()].some(
      (row) => isWanted(row) || (row.dueAt ?? 0) <= this.#timeline.wall,
    );
    if (isWaiting || !this.#isQuiet()) this.#watch.complain(`abandoned: ${this.#describeQueue()}`);
  }

  #isAllDone(): boolean {
    return this.#store.deliveries.size === 0 && this.#activeFaults === 0 && this.#isQuiet();
  }

  /** True if no living node holds a delivery in memory. */
  #isQuiet(): boolean {
    return this.#nodes.every(({ owner, engine }) => owner.isDead || engine.stats().inMemory === 0);
  }

  /** While nothing can happen, moves the wall clock to shortly before the next event. */
  #leap(nextHappening: number | undefined): void {
    // Statements do not take hours, so none may be under way: one sent before the leap must not arrive after it.
    if (this.#activeFaults > 0 || !this.#isQuiet() || this.#server.underWay > 0) return;
    const nextDue = this.#store.nextDueAt() ?? Number.POSITIVE_INFINITY;
    const until = Math.min(nextDue, nextHappening ?? Number.POSITIVE_INFINITY);
    const leapMs = until - this.#timeline.wall;
    if (!Number.isFinite(leapMs) || leapMs < MIN_LEAP_MS) return;
    for (const row of this.#store.deliveries.values()) if (isWanted(row)) return;
    this.#timeline.moveWallBy(leapMs - MIN_LEAP_MS / 3);
  }

  #happen(what: Happening): void {
    switch (what.kind) {
      case 'change':
        return this.#change(what);
      case 'kill':
        return this.#kill(what.node, what.backAfterMs);
      case 'freeze':
        return this.#freeze(what.node, what.forMs);
      case 'cut':
        this.#nodes[what.node]?.cut(what.side);
        return this.#during(what.side === 'both' ? 500 : 5_000, () => {});
      case 'outage':
        this.#server.isDown = true;
        for (const node of this.#nodes) node.cut('both');
        return this.#during(what.forMs, () => (this.#server.isDown = false));
      case 'pause':
        this.#server.pausedUntilMs = this.#timeline.nowMs + what.forMs;
        return this.#during(what.forMs, () => {});
      case 'clock':
        this.#watch.clockStepped(what.stepMs);
        return this.#timeline.moveWallBy(what.stepMs);
      case 'close':
        this.#register(what.restaurantId, false);
        return this.#during(what.forMs, () => {
          this.#register(what.restaurantId, true);
          if (!this.#mistakes.has('held-forgotten')) this.#store.releaseHeld(this.#timeline.wall);
        });
    }
  }

  /** A fault with a duration: the run does not leap over it, and the time limits for deliveries apply only after it. */
  #during(ms: number, end: () => void): void {
    this.#activeFaults += 1;
    this.#watch.disturbUntil(this.#timeline.nowMs + ms);
    this.#timeline.after(
      ms,
      () => {
        this.#activeFaults -= 1;
        end();
      },
      null,
    );
  }

  #kill(index: number, backAfterMs: number): void {
    const node = this.#nodes[index];
    if (node === undefined || node.owner.isDead) return;
    node.kill();
    this.#during(backAfterMs, () => {
      this.#nodes[index] = new SimulatedNode(this.#nodeDeps);
    });
  }

  #freeze(index: number, forMs: number): void {
    const node = this.#nodes[index];
    if (node === undefined || node.owner.isDead || node.owner.backlog !== null) return;
    node.freeze();
    this.#timeline.after(10_000, () => node.owner.backlog !== null && node.endIdleTransactions(), null);
    this.#during(forMs, () => node.thaw());
  }

  #register(restaurantId: string, isOpen: boolean): void {
    for (const kind of ['status', 'cancel']) {
      this.#store.urls.set(`${restaurantId}/${kind}`, isOpen ? `https://simulated/${restaurantId}/${kind}` : null);
    }
  }

  #endpointOf(restaurantId: string) {
    const endpoint = this.#scenario.endpoints.find((candidate) => candidate.restaurantId === restaurantId);
    if (endpoint === undefined) throw new Error(`There is no restaurant ${restaurantId}`);
    return endpoint;
  }

  /** Changes an order at a living node. If the node dies during the change, the change may or may not be committed. */
  #change(change: Change): void {
    const living = this.#nodes.filter(({ owner }) => !owner.isDead && owner.backlog === null);
    if (living.length > 0) this.#chance.pick(living).change(this.#want(change));
  }

  #want(change: Change): WantedChange {
    const { orderId, restaurantId, isCancel } = change;
    return {
      orderId,
      draft: (wants) => {
        const version = (this.#versions.get(orderId) ?? 0) + 1;
        const kinds = isCancel ? (['status', 'cancel'] as const) : (['status'] as const);
        return kinds.map((endpoint): NewEvent => {
          this.#lastEvent += 1;
          return {
            id: simulatedId(this.#lastEvent),
            restaurantId,
            orderId,
            actor: 'system',
            type: endpoint === 'status' ? 'order.status_changed' : 'order.canceled',
            endpoint,
            from: 'NEW',
            to: 'VALIDATED',
            version,
            at: this.#timeline.wall,
            body: `${restaurantId}/${endpoint} ${orderId} version ${version} (e${this.#lastEvent})`,
            wantsLease: wants.hasRoomFor(restaurantId, endpoint),
            heldIds: wants.heldIdsOf(orderId),
          };
        });
      },
      write: (events, nodeId) => {
        const now = this.#timeline.wall;
        // The state the statement sees: it misses an endpoint that opens before the commit.
        const dueAt = this.#store.isOpen({ restaurantId, endpoint: 'status' }) ? now : null;
        const leased = new Set(events.filter((event) => this.#isBornLeased(event, nodeId)).map((event) => event.id));
        return () => {
          for (const event of events)
            this.#commit(event, { now, dueAt, leasedBy: leased.has(event.id) ? nodeId : null });
          return leased;
        };
      },
    };
  }

  /** The same rule as in src/store/orders/writes.ts. */
  #isBornLeased(event: NewEvent, nodeId: string | null): boolean {
    if (nodeId === null || !event.wantsLease || !this.#store.isOpen(event)) return false;
    if (this.#mistakes.has('new-leases-unchecked')) return true;
    for (const other of this.#store.laneOf(event)) {
      const isKnown = other.leasedBy === nodeId ? event.heldIds?.includes(other.eventId) : undefined;
      if (isKnown ?? (other.leasedBy === null && other.attempts > 0)) continue;
      return false;
    }
    return true;
  }

  #commit(event: NewEvent, born: { now: number; dueAt: number | null; leasedBy: string | null }): void {
    const { id: eventId, orderId, restaurantId, endpoint, version, body } = event;
    this.#versions.set(orderId, version);
    const simulated = this.#endpointOf(restaurantId);
    const isForHealthyEndpoint = simulated.isAlwaysHealthy && behaviorAt(simulated, born.now) === 'healthy';
    this.#watch.committed({ eventId, orderId, restaurantId, endpoint, version, body, isForHealthyEndpoint });
    this.#store.add({
      eventId,
      orderId,
      restaurantId,
      endpoint,
      version,
      body,
      attempts: 0,
      failures: 0,
      dueAt: born.dueAt,
      leasedBy: born.leasedBy,
    });
  }

  #describeQueue(): string {
    const rows = [...this.#store.deliveries.values()].slice(0, 5);
    return rows.map((row) => `${row.body} leased by ${row.leasedBy}, due ${row.dueAt}`).join('; ');
  }
}
