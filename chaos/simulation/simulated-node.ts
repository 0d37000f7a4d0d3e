// One node: the real engine, presence, recorder and target cache, on simulated time, network and store.
import { CLOCK_CHECK_MS, createDueTimeCheck } from '../../src/actions/webhooks/bring-forward-due-times.ts';
import { dispatchNewDeliveries, type Outbox } from '../../src/actions/orders/event-outbox.ts';
import { silentLog } from '../../src/platform.ts';
import { DatabaseUnavailable } from '../../src/store/database/database.ts';
import type { NewEvent } from '../../src/store/orders/write-columns.ts';
import { everyMs } from '../../src/runtime/supervisor.ts';
import type { Vault } from '../../src/secrets/vault.ts';
import { DeliveryEngine } from '../../src/webhooks/queue/engine.ts';
import { Presence } from '../../src/webhooks/queue/node-presence.ts';
import { AttemptRecorder } from '../../src/webhooks/queue/result-recorder.ts';
import { TargetCache } from '../../src/webhooks/client/targets.ts';
import type { Chance } from '../../harness/chance.ts';
import type { Mistake } from './mistakes.ts';
import { DatabaseLink, type Server } from './simulated-database.ts';
import { createSimulatedSender, type NetworkDeps } from './simulated-network.ts';
import type { Owner, Timeline } from './timeline.ts';

export interface NodeDeps {
  timeline: Timeline;
  chance: Chance;
  server: Server;
  network: NetworkDeps;
  mistakes: ReadonlySet<Mistake>;
}

/** A change of an order that the scenario requests; the store assigns its version. */
export interface WantedChange {
  orderId: string;
  /** Creates the events at the moment of writing, under the order's lock. */
  draft(wants: Pick<Outbox, 'hasRoomFor' | 'heldIdsOf'>): NewEvent[];
  /** Returns the commit, which returns the IDs of the deliveries that were leased to the node on insertion. */
  write(events: readonly NewEvent[], nodeId: string | null): () => Set<string>;
}

const NO_SECRETS: Vault = {
  seal: () => Buffer.alloc(0),
  open: () => '',
  keyedHash: () => Buffer.alloc(0),
  credentialHash: () => Buffer.alloc(0),
  adopt: () => undefined,
  exportCredentialKey: () => Buffer.alloc(0),
};

class ForgetfulEngine extends DeliveryEngine {
  override sweep(): Promise<void> {
    return Promise.resolve();
  }
}

export class SimulatedNode {
  readonly owner: Owner = { isDead: false, backlog: null };
  readonly engine: DeliveryEngine;
  #link: DatabaseLink;
  #deps: NodeDeps;
  #presence: Presence;
  #lastId: string | null = null;

  constructor(deps: NodeDeps) {
    this.#deps = deps;
    const { timeline, mistakes } = deps;
    const { owner } = this;
    this.#link = new DatabaseLink({ ...deps, owner });
    const setAside = { report: () => Promise.resolve() };
    const base = { clock: timeline.clock, log: silentLog, db: this.#link.database, setAside };
    const targets = new TargetCache({ ...base, vault: NO_SECRETS });
    this.#presence = new Presence(base, {
      databaseUrl: '',
      isDelivering: true,
      roles: ['deliver'],
      channels: [],
      onNotification: () => this.engine.wake(),
      onConnected: () => {
        targets.dropAll();
        this.engine.wake();
      },
      onLost: () => this.engine.drop(),
      openSession: this.#link.openSession,
    });
    const Engine = mistakes.has('no-sweep') ? ForgetfulEngine : DeliveryEngine;
    this.engine = new Engine({
      ...base,
      presence: { nodeId: () => this.#nodeId() },
      sender: createSimulatedSender(deps.network, owner),
      targets,
      recorder: new AttemptRecorder(base),
    });
    const dueTimes = everyMs('due times', CLOCK_CHECK_MS, { log: silentLog, round: createDueTimeCheck(base) });
    timeline.inNameOf(owner, () => {
      const { signal } = new AbortController();
      void dueTimes.run(signal);
      void this.#presence.run(signal);
      void this.engine.run(signal);
    });
  }

  notify(): void {
    this.#deps.timeline.after(1, () => this.engine.wake(), this.owner);
  }

  kill(): void {
    this.owner.isDead = true;
    this.#link.cutAll();
  }

  freeze(): void {
    this.owner.backlog ??= [];
  }

  thaw(): void {
    const waiting = this.owner.backlog ?? [];
    this.owner.backlog = null;
    for (const run of waiting) this.#deps.timeline.after(0, run, this.owner);
  }

  cut(side: 'both' | 'server'): void {
    if (side === 'both') this.#link.cutAll();
    else this.#link.cutAtServer();
  }

  endIdleTransactions(): void {
    this.#link.endIdleTransactions();
  }

  /** Like src/actions/orders/change-order.ts: lock, decide, write, commit, then send leased deliveries from memory. */
  change(wanted: WantedChange): void {
    this.#deps.timeline.inNameOf(this.owner, () => void this.#change(wanted).catch(ignoreOutages));
  }

  async #change(wanted: WantedChange): Promise<void> {
    const nodeId = this.engine.nodeId();
    const { events, leasedEventIds } = await this.#link.inTransaction(async (tx, ask) => {
      await this.#link.lockOrder(tx, wanted.orderId);
      const events = wanted.draft(this.engine);
      let leasedEventIds = new Set<string>();
      await ask(() => {
        const commit = wanted.write(events, nodeId);
        tx.writes.push(() => (leasedEventIds = commit()));
      });
      return { events, leasedEventIds: () => leasedEventIds };
    });
    const leased = { leasedEventIds: leasedEventIds(), hasUnleased: leasedEventIds().size < events.length };
    dispatchNewDeliveries({ db: this.#link.database, outbox: this.engine }, { events, leased, nodeId });
  }

  #nodeId(): string | null {
    const nodeId = this.#presence.nodeId();
    if (!this.#deps.mistakes.has('no-freshness')) return nodeId;
    this.#lastId = nodeId ?? this.#lastId;
    return this.#lastId;
  }
}

function ignoreOutages(error: unknown): void {
  if (!(error instanceof DatabaseUnavailable)) throw error;
}
