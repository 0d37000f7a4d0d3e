// Server-sent events for a bounded number of pages. The database is polled for all of them together, and not at all
// while there are none. Pages that read too slowly are dropped.
import { Readable } from 'node:stream';
import type { Log } from '../../platform.ts';

const POLL_INTERVAL_MS = 500;
/** Without news for this long, a page gets a sign of life. */
export const HEARTBEAT_MS = 15_000;

/** A page with more unread data is dropped; its browser reconnects and catches up. */
const MAX_UNREAD_BYTES = 1_048_576;

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Some proxies would otherwise buffer the messages.
  'x-accel-buffering': 'no',
} as const;

/** Browsers wait this long before they connect again. */
const RECONNECT = 'retry: 1000\n\n';

export const HEARTBEAT = ':\n\n';

export interface StreamSource {
  maxPages: number;
  log: Log;
  /** Reads and sends what is new. Polls never overlap. */
  poll(): Promise<void>;
  /** The last page disconnected: the next one starts from nothing. */
  onEmpty(): void;
}

export class StreamPages<Facts> {
  readonly #source: StreamSource;
  readonly #pages = new Map<Readable, Facts>();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;
  #isClosed = false;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  /** Undefined when there are too many pages, or the service is stopping. */
  open(facts: Facts): Readable | undefined {
    if (this.#isClosed || this.#pages.size >= this.#source.maxPages) return undefined;
    const page = new Readable({ read: () => undefined });
    this.#pages.set(page, facts);
    page.once('close', () => this.#leave(page));
    page.push(RECONNECT);
    this.#timer ??= setInterval(() => void this.#poll(), POLL_INTERVAL_MS);
    void this.#poll();
    return page;
  }

  entries(): [page: Readable, facts: Facts][] {
    return [...this.#pages];
  }

  send(page: Readable, text: string): void {
    // The page may have ended or been dropped in the meantime.
    if (page.destroyed || !this.#pages.has(page)) return;
    if (page.readableLength > MAX_UNREAD_BYTES) page.destroy();
    else page.push(text);
  }

  end(page: Readable): void {
    if (this.#pages.has(page) && !page.destroyed) page.push(null);
    this.#leave(page);
  }

  /** Ends every stream; the browsers then connect to another node, or to this one after its restart. */
  close(): void {
    this.#isClosed = true;
    for (const [page] of this.entries()) {
      this.send(page, RECONNECT);
      this.end(page);
    }
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      await this.#source.poll();
    } catch (error) {
      this.#source.log.warn({ event: 'live.not_read', reason: String(error) });
    } finally {
      this.#isPolling = false;
    }
  }

  #leave(page: Readable): void {
    if (!this.#pages.delete(page) || this.#pages.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#source.onEmpty();
  }
}
