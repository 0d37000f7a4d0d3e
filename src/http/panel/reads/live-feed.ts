// Notifies connected pages which orders have changed. A page that reconnects sends its last position and gets what it
// missed.
import type { Readable } from 'node:stream';
import type { LiveEvent, LiveOrders } from '../../../contract/panel/live.ts';
import { SECOND_MS, type Instant } from '../../../domain/time.ts';
import type { Clock, Log } from '../../../platform.ts';
import type { Queryable } from '../../../store/database/database.ts';
import {
  listLiveChanges,
  listLiveCursors,
  readLivePulse,
  type LiveChange,
  type LiveCursor,
} from '../../../store/orders/live-changes.ts';
import { listLivingSessions } from '../../../store/people/sessions.ts';
import { HEARTBEAT, HEARTBEAT_MS, StreamPages } from '../../protocol/event-streams.ts';

const SESSION_CHECK_MS = 2_000;
const MAX_PAGES = 500;
const MAX_PAGES_OF_SESSION = 12;
const MAX_CHANGES = 500;
/** With more missed changes than this, a page that reconnects must reload everything. */
const MAX_MISSED = 200;
/** A page that was away for longer reloads everything, which is cheaper than sending it the changes. */
const MAX_AWAY_MS = 600 * SECOND_MS;
/** Rows may be committed after others that have a later time or number. */
const LATE_COMMIT_MS = 15 * SECOND_MS;
const LATE_COMMIT_NOTES = 200;

export interface LiveViewer {
  sessionId: string;
  /** Null: an operator, who is notified only that something has changed. */
  restaurantId: string | null;
}

export interface LiveFeed {
  /** Undefined when there are too many pages, or the service is stopping. */
  open(viewer: LiveViewer, lastEventId: string | undefined): Readable | undefined;
  close(): void;
}

interface Page extends LiveViewer {
  resume: LiveCursor | undefined;
  hasMissedTooMuch: boolean;
  isNew: boolean;
}

export class OrderLiveFeed implements LiveFeed {
  #deps: { clock: Clock; log: Log; db: Queryable };
  #pages: StreamPages<Page>;
  #cursors = new Map<string, LiveCursor>();
  /** Sent changes of sources that aren't in commit order, with the time after which they can't be read again. */
  #sent = new Map<string, number>();
  #pulse: string | undefined;
  #checkedAtMs = 0;
  #beatAtMs = 0;

  constructor(deps: { clock: Clock; log: Log; db: Queryable }) {
    this.#deps = deps;
    this.#pages = new StreamPages({
      maxPages: MAX_PAGES,
      log: deps.log,
      poll: () => this.#poll(),
      onEmpty: () => this.#forget(),
    });
  }

  open(viewer: LiveViewer, lastEventId: string | undefined): Readable | undefined {
    const ofSession = this.#pages.entries().filter(([, { sessionId }]) => sessionId === viewer.sessionId);
    if (ofSession.length >= MAX_PAGES_OF_SESSION) return undefined;
    const resume = readCursor(viewer, lastEventId, this.#deps.clock.now());
    return this.#pages.open({ ...viewer, resume, hasMissedTooMuch: false, isNew: true });
  }

  close(): void {
    this.#pages.close();
  }

  #forget(): void {
    this.#cursors.clear();
    this.#sent.clear();
    this.#pulse = undefined;
  }

  async #poll(): Promise<void> {
    await this.#endRevoked();
    const pages = this.#pages.entries();
    await this.#sendToOperators(pages.filter(([, { restaurantId }]) => restaurantId === null));
    await this.#sendToRestaurants(pages.filter(([, { restaurantId }]) => restaurantId !== null));
    this.#sendHeartbeats();
  }

  async #endRevoked(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#checkedAtMs < SESSION_CHECK_MS) return;
    const pages = this.#pages.entries();
    const ids = [...new Set(pages.map(([, { sessionId }]) => sessionId))];
    const living = await listLivingSessions(this.#deps.db, ids, this.#deps.clock.now());
    for (const [page, { sessionId, restaurantId }] of pages) {
      // An operator who switches to another restaurant, or back, reconnects.
      if (living.get(sessionId) !== restaurantId) this.#pages.end(page);
    }
    this.#checkedAtMs = nowMs;
  }

  async #sendToOperators(pages: readonly [Readable, Page][]): Promise<void> {
    if (pages.length === 0) return;
    const pulse = await readLivePulse(this.#deps.db);
    const hasChanged = this.#pulse !== undefined && this.#pulse !== pulse;
    this.#pulse = pulse;
    for (const [page, facts] of pages) {
      if (facts.isNew) this.#pages.send(page, message('hello', {}));
      else if (hasChanged) this.#pages.send(page, message('changed', {}));
      facts.isNew = false;
    }
  }

  async #sendToRestaurants(pages: readonly [Readable, Page][]): Promise<void> {
    if (pages.length === 0) return;
    await this.#followNew([...new Set(pages.map(([, { restaurantId }]) => restaurantId ?? ''))]);
    const { db, clock } = this.#deps;
    const now = clock.now();
    const followed = [...this.#cursors.values()];
    const returning = pages.filter(([, { resume }]) => resume !== undefined && !this.#isTooFar(resume));
    const readers = [...followed, ...returning.flatMap(([, { resume }]) => resume ?? [])];
    const { changes, lastHistoryId } = await listLiveChanges(db, readers.map(withLateCommits), MAX_CHANGES);
    for (const [index, cursor] of followed.entries()) {
      const found = changes.filter(({ reader }) => reader === index);
      const mine = this.#onlyNews(found);
      const next = advance(cursor, mine, { now, lastHistoryId });
      this.#cursors.set(cursor.restaurantId, next);
      if (mine.length === 0) continue;
      const settled = pages.filter(([, page]) => page.restaurantId === cursor.restaurantId && !page.isNew);
      const news = mayLackNew(found, mine) ? message('reset', {}, next) : ordersMessage(mine, next);
      for (const [page] of settled) this.#pages.send(page, news);
    }
    for (const [index, [page, facts]] of returning.entries()) {
      const missed = changes.filter(({ reader }) => reader === followed.length + index);
      if (mayLackNew(missed, missed)) facts.hasMissedTooMuch = true;
      else if (missed.length > 0) this.#pages.send(page, ordersMessage(missed, undefined));
    }
    for (const [page, facts] of pages) this.#settle(page, facts);
  }

  #isTooFar(resume: LiveCursor): boolean {
    const now = this.#cursors.get(resume.restaurantId);
    if (now === undefined || now.epochId !== resume.epochId) return true;
    return now.sequence - resume.sequence > MAX_MISSED || now.historyId - resume.historyId > MAX_MISSED;
  }

  /** Drops the cursors of restaurants without pages, and adds those of restaurants that now have one. */
  async #followNew(wanted: readonly string[]): Promise<void> {
    for (const id of this.#cursors.keys()) if (!wanted.includes(id)) this.#cursors.delete(id);
    const missing = wanted.filter((id) => !this.#cursors.has(id));
    if (missing.length === 0) return;
    for (const cursor of await listLiveCursors(this.#deps.db, missing, this.#deps.clock.now())) {
      this.#cursors.set(cursor.restaurantId, cursor);
    }
  }

  #settle(page: Readable, facts: Page): void {
    const cursor = this.#cursors.get(facts.restaurantId ?? '');
    if (!facts.isNew || cursor === undefined) return;
    const { resume, hasMissedTooMuch } = facts;
    if (resume === undefined) this.#pages.send(page, message('hello', {}, cursor));
    else if (hasMissedTooMuch || this.#isTooFar(resume)) this.#pages.send(page, message('reset', {}, cursor));
    else this.#pages.send(page, idLine(cursor));
    facts.isNew = false;
    facts.resume = undefined;
  }

  /** Notes and new orders are reread until nothing can be committed before them; each is sent once. */
  #onlyNews(changes: readonly LiveChange[]): LiveChange[] {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [key, until] of this.#sent) if (until < nowMs) this.#sent.delete(key);
    return changes.filter((change) => {
      if (change.source === 'event') return true;
      const key = change.source === 'new' ? change.orderId : `note ${change.number}`;
      const isNews = !this.#sent.has(key);
      this.#sent.set(key, nowMs + 4 * LATE_COMMIT_MS);
      return isNews;
    });
  }

  #sendHeartbeats(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#beatAtMs < HEARTBEAT_MS) return;
    this.#beatAtMs = nowMs;
    for (const [page, { restaurantId }] of this.#pages.entries()) {
      // Advance idle pages as well: activity elsewhere must not force them to reload everything when they reconnect.
      const cursor = this.#cursors.get(restaurantId ?? '');
      this.#pages.send(page, cursor === undefined ? HEARTBEAT : idLine(cursor));
    }
  }
}

function withLateCommits(cursor: LiveCursor): LiveCursor {
  return {
    ...cursor,
    historyId: cursor.historyId - LATE_COMMIT_NOTES,
    createdAfter: cursor.createdAfter - LATE_COMMIT_MS,
  };
}

interface ReadUpTo {
  now: Instant;
  lastHistoryId: number | undefined;
}

function advance(cursor: LiveCursor, changes: readonly LiveChange[], upTo: ReadUpTo): LiveCursor {
  return {
    ...cursor,
    sequence: changes.reduce(
      (highest, { source, number }) => (source === 'event' ? Math.max(highest, number) : highest),
      cursor.sequence,
    ),
    // Past all notes that were read, including other restaurants': those must not fill the next read and hide its own.
    historyId: Math.max(cursor.historyId, upTo.lastHistoryId ?? 0),
    createdAfter: upTo.now,
  };
}

/** The read limit was reached and not even the first new order was known, so there may be more before it. */
function mayLackNew(found: readonly LiveChange[], news: readonly LiveChange[]): boolean {
  const isNewOrder = ({ source }: LiveChange): boolean => source === 'new';
  return found.filter(isNewOrder).length === MAX_CHANGES && news.filter(isNewOrder).length === MAX_CHANGES;
}

function ordersMessage(changes: readonly LiveChange[], cursor: LiveCursor | undefined): string {
  const newest = new Map<string, LiveOrders['orders'][number]>();
  for (const { orderId: id, version, state, source } of changes) {
    const known = newest.get(id);
    const isNew = source === 'new' || known?.isNew === true;
    newest.set(
      id,
      known !== undefined && known.version > version ? { ...known, isNew } : { id, version, state, isNew },
    );
  }
  return message('orders', { orders: [...newest.values()] } satisfies LiveOrders, cursor);
}

function message(event: LiveEvent, data: object, cursor?: LiveCursor): string {
  return `${cursor === undefined ? '' : idField(cursor)}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Advances the page's position without sending it an event. */
function idLine(cursor: LiveCursor): string {
  return `${idField(cursor)}\n`;
}

function idField({ sequence, historyId, createdAfter, epochId }: LiveCursor): string {
  const epoch = epochId === null ? '' : `.${epochId}`;
  return `id: ${sequence}.${historyId}.${createdAfter}${epoch}\n`;
}

const CURSOR = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:\.([\da-f-]{36}))?$/;

function readCursor(viewer: LiveViewer, lastEventId: string | undefined, now: Instant): LiveCursor | undefined {
  const [, sequence, historyId, createdAfter, epochId = null] = CURSOR.exec(lastEventId ?? '') ?? [];
  if (viewer.restaurantId === null || createdAfter === undefined) return undefined;
  if (Math.abs(now - Number(createdAfter)) > MAX_AWAY_MS) return undefined;
  return {
    restaurantId: viewer.restaurantId,
    sequence: Number(sequence),
    historyId: Number(historyId),
    createdAfter: Number(createdAfter),
    epochId,
  };
}
