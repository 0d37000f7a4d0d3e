// An in-memory model of the delivery tables with the semantics of the statements in src/store: a statement sees
// committed data, a transaction's writes appear at its commit, and order locks last until then. It dispatches on
// statement names, so the code around the statements is the real one.
import type { Statement } from '../../src/store/database/database.ts';
import { SILENCE_LIMIT_MS } from '../../src/store/upkeep/nodes.ts';
import { bringForward } from './bring-forward.ts';
import { chooseDue, keyOf, listDue, listDueFairly, type DeliveryRow } from './claim-rules.ts';
import type { Mistake } from './mistakes.ts';
import { nameOf, readRecords, texts, type RecordedAttempt } from './statement-values.ts';

export interface Transaction {
  writes: (() => void)[];
  lockedOrders: Set<string>;
  isOver: boolean;
}

interface NodeRow {
  id: string;
  beatAtMs: number;
  /** Whether the session that registered the node is still open. */
  isConnected: () => boolean;
}

export interface StoreOptions {
  mistakes: ReadonlySet<Mistake>;
  /** The database's own clock, used for presence. */
  nowMs(): number;
  onNotify(): void;
  /** Called for each result that is accepted. */
  onRecorded(record: RecordedAttempt): void;
  /** A delivery of a dead node for a working endpoint: due immediately, whether or not it was attempted. */
  onFreed(eventId: string): void;
}

/** Keyed by column name, or an array of the columns. */
export type Row = Record<string, unknown> | unknown[];
type Execute = (values: readonly unknown[], tx: Transaction | null, session: () => boolean) => Row[];

export class SimulatedStore {
  readonly deliveries = new Map<string, DeliveryRow>();
  readonly nodes = new Map<string, NodeRow>();
  /** Null: no URL is registered, so deliveries for this endpoint are held. */
  readonly urls = new Map<string, string | null>();
  #options: StoreOptions;
  /** Endpoints whose last result was a failure. */
  #failing = new Set<string>();
  #lanes = new Map<string, Set<DeliveryRow>>();
  #locks = new Map<string, Transaction>();
  /** The last claim of each delivery. */
  #beingLeased = new Map<string, Transaction>();
  #lastNodeId = 0;
  #statements: Record<string, Execute>;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#statements = this.#listStatements();
  }

  begin(): Transaction {
    return { writes: [], lockedOrders: new Set(), isOver: false };
  }

  commit(tx: Transaction): void {
    if (tx.isOver) return;
    for (const write of tx.writes) write();
    this.rollBack(tx);
  }

  rollBack(tx: Transaction): void {
    tx.isOver = true;
    for (const orderId of tx.lockedOrders) this.#locks.delete(orderId);
  }

  lockOrder(tx: Transaction, orderId: string): boolean {
    const holder = this.#locks.get(orderId);
    if (holder !== undefined && holder !== tx) return false;
    this.#locks.set(orderId, tx);
    tx.lockedOrders.add(orderId);
    return true;
  }

  execute(statement: Statement | string, values: readonly unknown[], on: Connection): Row[] {
    const name = nameOf(statement);
    const run = this.#statements[name];
    if (run === undefined) throw new Error(`The simulated store does not know the statement ${name}`);
    return run(values, on.tx, () => on.isOpen());
  }

  laneOf(row: Pick<DeliveryRow, 'orderId' | 'endpoint'>): Iterable<DeliveryRow> {
    return this.#lanes.get(`${row.orderId}/${row.endpoint}`) ?? [];
  }

  add(row: DeliveryRow): void {
    this.deliveries.set(row.eventId, row);
    const key = `${row.orderId}/${row.endpoint}`;
    const lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, new Set([row]));
    else lane.add(row);
  }

  isOpen(row: Pick<DeliveryRow, 'restaurantId' | 'endpoint'>): boolean {
    return (this.urls.get(`${row.restaurantId}/${row.endpoint}`) ?? null) !== null;
  }

  #delete(row: DeliveryRow): void {
    this.deliveries.delete(row.eventId);
    this.#beingLeased.delete(row.eventId);
    const key = `${row.orderId}/${row.endpoint}`;
    this.#lanes.get(key)?.delete(row);
    if (this.#lanes.get(key)?.size === 0) this.#lanes.delete(key);
  }

  #listStatements(): Record<string, Execute> {
    const { mistakes } = this.#options;
    return {
      list_due_deliveries: (values) => {
        const due = listDue(this, mistakes, values);
        return due?.map((row) => [row.orderId, keyOf(row)]) ?? [[null, null]];
      },
      list_due_deliveries_fairly: (values) => listDueFairly(this, mistakes, values).map((row) => [row.orderId]),
      lock_orders_of_due_deliveries: ([ids], tx) =>
        texts(ids)
          .filter((id) => tx !== null && this.lockOrder(tx, id))
          .map((id) => ({ id })),
      lease_due_deliveries: (values, tx) => this.#lease(String(values[0]), chooseDue(this, mistakes, values), tx),
      find_next_due_at: () => {
        const due = this.nextDueAt();
        return due === undefined ? [] : [{ dueAt: due }];
      },
      release_deliveries: ([nodeId, ids]) => this.#free(texts(ids), (row) => row.leasedBy === nodeId),
      list_leases: ([nodeId]) =>
        this.#rows((row) => row.leasedBy === nodeId).map((row) => ({ eventId: row.eventId, orderId: row.orderId })),
      hold_deliveries: ([nodeId, ids]) => {
        for (const row of this.#pick(texts(ids), (row) => row.leasedBy === nodeId)) {
          row.leasedBy = null;
          row.dueAt = null;
        }
        return [];
      },
      release_forgotten_held: ([now]) => {
        if (!mistakes.has('held-forgotten')) this.releaseHeld(Date.parse(String(now)));
        return [];
      },
      record_attempts: (values) => this.#record(readRecords(values), String(values[0])),
      record_endpoint_health: () => [],
      confirm_replicated: () => [],
      read_server_clock: () => [{ at: String(this.#options.nowMs()) }],
      bring_forward_deliveries: (values) => {
        const isTooLate = this.#options.nowMs() - Number(values[3]) > 10_000;
        return [{ count: isTooLate ? 0 : bringForward(this, mistakes, values) }];
      },
      notify_due: () => {
        this.#options.onNotify();
        return [];
      },
      list_endpoint_targets: ([ids]) => texts(ids).flatMap((id) => this.#listTargets(id)),
      register_node: (_, __, isConnected) => {
        this.#lastNodeId += 1;
        const id = String(this.#lastNodeId);
        this.nodes.set(id, { id, beatAtMs: this.#options.nowMs(), isConnected });
        return [{ id }];
      },
      beat_node: ([id]) => {
        const node = this.nodes.get(String(id));
        if (node !== undefined) node.beatAtMs = this.#options.nowMs();
        return node === undefined ? [] : [{ id }];
      },
      release_dead_nodes: (values) => [this.#releaseDead(values)],
      retire_node: ([id]) => {
        this.nodes.delete(String(id));
        return this.#free([...this.deliveries.keys()], (row) => row.leasedBy === id);
      },
    };
  }

  nextDueAt(): number | undefined {
    let next: number | undefined;
    for (const row of this.deliveries.values()) {
      if (row.leasedBy === null && row.dueAt !== null && (next === undefined || row.dueAt < next)) next = row.dueAt;
    }
    return next;
  }

  releaseHeld(now: number): void {
    for (const row of this.deliveries.values()) if (row.dueAt === null && this.isOpen(row)) row.dueAt = now;
  }

  /** As in PostgreSQL: a result waits for the row while a claim that has leased it is not committed. */
  mustWait(statement: Statement | string, values: readonly unknown[]): boolean {
    if (nameOf(statement) !== 'record_attempts') return false;
    return readRecords(values).some(({ eventId }) => this.#beingLeased.get(eventId)?.isOver === false);
  }

  #lease(nodeId: string, rows: readonly DeliveryRow[], tx: Transaction | null): Row[] {
    for (const row of rows) if (tx !== null) this.#beingLeased.set(row.eventId, tx);
    tx?.writes.push(() => {
      for (const row of rows) if (row.leasedBy === null) row.leasedBy = nodeId;
    });
    return rows.map((row) => [
      row.eventId,
      row.restaurantId,
      row.endpoint,
      row.orderId,
      row.version,
      row.attempts,
      row.failures,
      nodeId,
      row.body,
    ]);
  }

  #record(records: readonly RecordedAttempt[], nodeId: string): Row[] {
    const { mistakes, onRecorded } = this.#options;
    const counted = records.filter((record) => {
      const row = this.deliveries.get(record.eventId);
      if (row === undefined) return false;
      const isMine = row.leasedBy === nodeId;
      const isLostFailure = row.leasedBy === null && !record.delivered && !mistakes.has('lost-failures');
      const isFenced = !(isMine || isLostFailure) || row.attempts !== record.number - 1;
      if (isFenced && !mistakes.has('results-without-lease')) return false;
      if (record.delivered) this.#failing.delete(keyOf(row));
      else this.#failing.add(keyOf(row));
      if (record.delivered) this.#delete(row);
      else {
        row.attempts = record.number;
        row.failures = mistakes.has('ladder-restarts') ? 0 : record.failures;
        row.dueAt = (record.nextAttemptAt ?? 0) - (mistakes.has('early-retry') ? 20_000 : 0);
        row.leasedBy = null;
      }
      onRecorded(record);
      return true;
    });
    return [{ counted: counted.map((record) => record.eventId), recovering: [] }];
  }

  #releaseDead([nowText, waits]: readonly unknown[]): Row {
    const { mistakes } = this.#options;
    if (mistakes.has('dead-kept')) return { nodes: 0, deliveries: 0 };
    const nowMs = this.#options.nowMs();
    const dead = [...this.nodes.values()].filter((node) => {
      const silentMs = nowMs - node.beatAtMs;
      return silentMs > SILENCE_LIMIT_MS || (silentMs > 3_000 && mistakes.has('gone-is-dead') && !node.isConnected());
    });
    for (const node of dead) this.nodes.delete(node.id);
    const freed = this.#rows((row) => row.leasedBy !== null && !this.nodes.has(row.leasedBy));
    for (const row of freed) {
      row.leasedBy = null;
      if (!this.#failing.has(keyOf(row))) this.#options.onFreed(row.eventId);
      else if (!mistakes.has('lost-failures')) waitForStep(row, Date.parse(String(nowText)), texts(waits).map(Number));
    }
    return { nodes: dead.length, deliveries: freed.length };
  }

  #listTargets(restaurantId: string): Row[] {
    return (['status', 'cancel'] as const).map((kind) => ({
      restaurantId,
      kind,
      url: this.urls.get(`${restaurantId}/${kind}`) ?? null,
      integrationEnabled: true,
      deliveryMetadata: false,
      secretId: null,
      sealedSecret: null,
    }));
  }

  /** All deliveries that match. */
  #rows(isWanted: (row: DeliveryRow) => boolean): DeliveryRow[] {
    return [...this.deliveries.values()].filter(isWanted);
  }

  #pick(ids: readonly string[], isWanted: (row: DeliveryRow) => boolean): DeliveryRow[] {
    return ids.flatMap((id) => {
      const row = this.deliveries.get(id);
      return row !== undefined && isWanted(row) ? [row] : [];
    });
  }

  #free(ids: readonly string[], isWanted: (row: DeliveryRow) => boolean): Row[] {
    const rows = this.#pick(ids, isWanted);
    for (const row of rows) row.leasedBy = null;
    return rows.map((row) => ({ eventId: row.eventId }));
  }
}

/** For a dead node's delivery to a failing endpoint: counts a failure and applies the retry delay. */
function waitForStep(row: DeliveryRow, now: number, waitsMs: readonly number[]): void {
  row.failures = row.attempts === 0 ? 1 : row.failures + 1;
  if (row.dueAt !== null) row.dueAt = Math.max(row.dueAt, now + (waitsMs[row.failures - 1] ?? waitsMs.at(-1) ?? 0));
}

export interface Connection {
  tx: Transaction | null;
  isOpen(): boolean;
}
