// The connection between a node and the simulated store: every exchange takes time and may be lost in either direction.
// The node's code sees the same interfaces as with PostgreSQL.
import {
  DatabaseUnavailable,
  type Database,
  type Queryable,
  type Statement,
} from '../../src/store/database/database.ts';
import type { Session, SessionOptions } from '../../src/store/database/dedicated-connection.ts';
import type { Chance } from '../../harness/chance.ts';
import type { SimulatedStore, Transaction } from './simulated-store.ts';
import type { Owner, Timeline } from './timeline.ts';

export interface Server {
  store: SimulatedStore;
  /** Connections are refused while it is down. */
  isDown: boolean;
  /** Until this time the server is frozen and does not answer. */
  pausedUntilMs: number;
  lossRate: number;
  slowRate: number;
  /** Number of exchanges under way. */
  underWay: number;
}

interface Line {
  tx: Transaction | null;
  isServerGone: boolean;
  isClientGone: boolean;
  timeoutMs: number;
  /** Callbacks that fail the exchanges waiting for an answer. */
  waiting: Set<() => void>;
  onGone?: () => void;
}

const QUERY_TIMEOUT_MS = 12_000;
const SESSION_TIMEOUT_MS = 5_000;

export class DatabaseLink {
  #lines = new Set<Line>();
  #deps: { timeline: Timeline; server: Server; chance: Chance; owner: Owner };

  constructor(deps: { timeline: Timeline; server: Server; chance: Chance; owner: Owner }) {
    this.#deps = deps;
  }

  readonly database: Database = {
    query: <Result extends object>(statement: Statement | string, values: readonly unknown[] = []) =>
      this.#onLine((line) => this.#ask<Result>(line, statement, values)),
    transaction: (work) => this.#onLine((line) => this.#transact(line, work)),
    stats: () => ({ total: 0, idle: 0, waiting: 0 }),
    close: () => Promise.resolve(),
  };

  readonly openSession = async (_options: SessionOptions): Promise<Session> => {
    const line = this.#open();
    const closed = new Promise<void>((resolve) => (line.onGone = resolve));
    line.timeoutMs = SESSION_TIMEOUT_MS;
    await this.#exchange(line, () => undefined);
    return {
      closed,
      query: (statement, values = []) => this.#ask(line, statement, values),
      close: () => {
        this.#break(line);
        return Promise.resolve();
      },
    };
  };

  /** Takes the order's lock, waiting while another transaction holds it. */
  async lockOrder(tx: Transaction, orderId: string): Promise<void> {
    const { server, timeline } = this.#deps;
    const giveUpAtMs = timeline.nowMs + 5_000;
    while (tx.isOver || !server.store.lockOrder(tx, orderId)) {
      if (tx.isOver) throw new DatabaseUnavailable('connection lost');
      if (timeline.nowMs > giveUpAtMs) throw new DatabaseUnavailable('lock timeout');
      await new Promise<void>((resolve) => timeline.after(5, resolve));
    }
  }

  cutAll(): void {
    for (const line of this.#lines) this.#break(line);
  }

  /** The server loses the connections; the node notices at its next use of them. */
  cutAtServer(): void {
    for (const line of this.#lines) {
      line.isServerGone = true;
      if (line.tx !== null) this.#deps.server.store.rollBack(line.tx);
    }
  }

  /** The server ends transactions that their clients have left idle. */
  endIdleTransactions(): void {
    for (const line of this.#lines) {
      if (line.tx !== null && !line.tx.isOver && line.waiting.size === 0) {
        line.isServerGone = true;
        this.#deps.server.store.rollBack(line.tx);
      }
    }
  }

  async #onLine<Result>(work: (line: Line) => Promise<Result>): Promise<Result> {
    const line = this.#open();
    try {
      return await work(line);
    } finally {
      this.#lines.delete(line);
    }
  }

  async #transact<Result>(line: Line, work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    const { store } = this.#deps.server;
    const tx = await this.#exchange(line, () => {
      line.tx = store.begin();
      return line.tx;
    });
    try {
      const result = await work({
        query: <Row extends object>(statement: Statement | string, values: readonly unknown[] = []) =>
          this.#ask<Row>(line, statement, values),
      });
      await this.#exchange(line, () => store.commit(tx));
      return result;
    } catch (error) {
      if (!tx.isOver) store.rollBack(tx);
      throw error;
    }
  }

  /** Runs inside an open transaction: for work of the scenario without its own statement. */
  async inTransaction<Result>(work: (tx: Transaction, ask: <R>(run: () => R) => Promise<R>) => Promise<Result>) {
    return this.#onLine((line) =>
      this.#transact(line, () => {
        if (line.tx === null) throw new Error('a transaction was not begun');
        return work(line.tx, (run) => this.#exchange(line, run));
      }),
    );
  }

  #ask<Result extends object>(
    line: Line,
    statement: Statement | string,
    values: readonly unknown[],
  ): Promise<Result[]> {
    const { store } = this.#deps.server;
    const on = { tx: line.tx, isOpen: () => !line.isServerGone };
    // As with the real driver, the caller knows the row type of its statement.
    return this.#exchange(
      line,
      () => store.execute(statement, values, on) as unknown as Result[],
      () => store.mustWait(statement, values),
    );
  }

  #open(): Line {
    const line: Line = {
      timeoutMs: QUERY_TIMEOUT_MS,
      tx: null,
      isServerGone: false,
      isClientGone: false,
      waiting: new Set(),
    };
    this.#lines.add(line);
    return line;
  }

  #break(line: Line): void {
    line.isServerGone = true;
    line.isClientGone = true;
    this.#lines.delete(line);
    if (line.tx !== null && !line.tx.isOver) this.#deps.server.store.rollBack(line.tx);
    for (const callOff of line.waiting) callOff();
    const { onGone } = line;
    if (onGone !== undefined) this.#deps.timeline.after(0, onGone, this.#deps.owner);
  }

  #exchange<Result>(line: Line, execute: () => Result, mustWait = (): boolean => false): Promise<Result> {
    const { timeline, server, chance, owner } = this.#deps;
    return new Promise((resolve, reject) => {
      let isOver = false;
      server.underWay += 1;
      const end = (settle: () => void, afterMs: number): void => {
        if (isOver) return;
        isOver = true;
        server.underWay -= 1;
        line.waiting.delete(callOff);
        timeline.after(afterMs, settle, owner);
      };
      const callOff = (): void => end(() => reject(new DatabaseUnavailable('connection lost')), 0);
      line.waiting.add(callOff);
      const lose = (): void => {
        callOff();
        this.#break(line);
      };
      if (server.isDown || line.isClientGone || chance.isTrue(server.lossRate)) {
        timeline.after(1, lose, null);
        return;
      }
      const serve = (): void => {
        if (server.pausedUntilMs > timeline.nowMs) {
          timeline.after(server.pausedUntilMs - timeline.nowMs, serve, null);
          return;
        }
        if (mustWait()) {
          timeline.after(1, serve, null);
          return;
        }
        // A statement that reached the server before the connection broke is sometimes executed nevertheless.
        const isDoneAnyway = line.isServerGone && !server.isDown && line.tx === null && chance.isTrue(0.5);
        if (line.isServerGone && !isDoneAnyway) return lose();
        const result = execute();
        if (isDoneAnyway || chance.isTrue(server.lossRate)) return lose();
        end(() => resolve(result), this.#latencyMs());
      };
      timeline.after(this.#latencyMs(), serve, null);
      if (server.pausedUntilMs > timeline.nowMs) timeline.after(line.timeoutMs, lose, null);
    });
  }

  #latencyMs(): number {
    const { chance, server } = this.#deps;
    return chance.isTrue(server.slowRate) ? chance.below(800) : 0.2 + chance.below(30) / 10;
  }
}
