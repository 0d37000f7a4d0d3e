// Server-sent events for a bounded number of pages. Pages that read too slowly are dropped.
import { Readable } from 'node:stream';

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

export class StreamPages<Facts> {
  #most: number;
  #onEmpty: () => void;
  #pages = new Map<Readable, Facts>();
  #isClosed = false;

  /** `onEmpty` is called when the last page disconnects. */
  constructor(most: number, onEmpty: () => void) {
    this.#most = most;
    this.#onEmpty = onEmpty;
  }

  get size(): number {
    return this.#pages.size;
  }

  /** Undefined when there are too many pages, or the service is stopping. */
  open(facts: Facts): Readable | undefined {
    if (this.#isClosed || this.#pages.size >= this.#most) return undefined;
    const page = new Readable({ read: () => undefined });
    this.#pages.set(page, facts);
    page.once('close', () => this.#leave(page));
    page.push(RECONNECT);
    return page;
  }

  entries(): [page: Readable, facts: Facts][] {
    return [...this.#pages];
  }

  has(page: Readable): boolean {
    return this.#pages.has(page);
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

  #leave(page: Readable): void {
    if (this.#pages.delete(page) && this.#pages.size === 0) this.#onEmpty();
  }
}
