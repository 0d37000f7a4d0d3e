// Sends changes to connected pages as server-sent events.
import type { Readable } from 'node:stream';
import type { Clock, Log } from '../../platform.ts';
import type { Queryable } from '../../store/database/database.ts';
import { listNewestOrders, type OrderSummary } from '../../store/orders/newest.ts';
import { HEARTBEAT, HEARTBEAT_MS, StreamPages } from '../protocol/event-streams.ts';

export interface Webhook {
  /** Ascending. */
  id: number;
}

export interface LiveSource {
  /** Oldest first; a bounded number. */
  listWebhooks(): readonly Webhook[];
  curlLine(): string | null;
}

export interface LiveStreamDeps {
  clock: Clock;
  log: Log;
  db: Queryable;
}

const MAX_PAGES = 50;
const MAX_ORDERS = 60;
const MAX_FIRST_WEBHOOKS = 100;

export class LiveStream {
  #deps: LiveStreamDeps;
  #source: LiveSource;
  /** New pages get a complete snapshot at the next poll, and changes after that. */
  #pages: StreamPages<{ isNew: boolean }>;
  #sent = new Map<string, string>();
  #lastWebhookId = 0;
  #lastMessageId = 0;
  #sentAtMs = 0;

  constructor(deps: LiveStreamDeps, source: LiveSource) {
    this.#deps = deps;
    this.#source = source;
    this.#pages = new StreamPages({
      maxPages: MAX_PAGES,
      log: deps.log,
      poll: () => this.#poll(),
      onEmpty: () => this.#forget(),
    });
  }

  /** Undefined when there are too many pages, or the service is stopping. */
  open(): Readable | undefined {
    return this.#pages.open({ isNew: true });
  }

  close(): void {
    this.#pages.close();
  }

  #forget(): void {
    this.#sent.clear();
    this.#lastWebhookId = 0;
  }

  async #poll(): Promise<void> {
    const orders = await listNewestOrders(this.#deps.db, MAX_ORDERS);
    const webhooks = this.#source.listWebhooks();
    this.#sendChanges(orders, webhooks);
    this.#welcome(orders, webhooks);
  }

  #sendChanges(orders: readonly OrderSummary[], webhooks: readonly Webhook[]): void {
    const changed = this.#unlikeBefore(orders);
    const received = webhooks.filter((webhook) => webhook.id > this.#lastWebhookId);
    this.#lastWebhookId = received.at(-1)?.id ?? this.#lastWebhookId;
    const nowMs = this.#deps.clock.monotonicMs();
    const isNews = changed.length + received.length > 0;
    if (!isNews && nowMs - this.#sentAtMs < HEARTBEAT_MS) return;
    this.#sentAtMs = nowMs;
    const text = isNews ? this.#message('update', { orders: changed, webhooks: received }) : HEARTBEAT;
    for (const [page, { isNew }] of this.#pages.entries()) if (!isNew) this.#pages.send(page, text);
  }

  #welcome(orders: readonly OrderSummary[], webhooks: readonly Webhook[]): void {
    const newcomers = this.#pages.entries().filter(([, { isNew }]) => isNew);
    if (newcomers.length === 0) return;
    const text = this.#message('snapshot', { orders, webhooks: webhooks.slice(-MAX_FIRST_WEBHOOKS) });
    for (const [page, facts] of newcomers) {
      this.#pages.send(page, text);
      facts.isNew = false;
    }
  }

  #unlikeBefore(orders: readonly OrderSummary[]): OrderSummary[] {
    const texts = new Map(orders.map((order) => [order.id, JSON.stringify(order)]));
    const changed = orders.filter((order) => this.#sent.get(order.id) !== texts.get(order.id));
    this.#sent = texts;
    return changed;
  }

  #message(event: 'snapshot' | 'update', content: object): string {
    this.#lastMessageId += 1;
    const data = JSON.stringify({ now: this.#deps.clock.now(), curlLine: this.#source.curlLine(), ...content });
    return `id: ${this.#lastMessageId}\nevent: ${event}\ndata: ${data}\n\n`;
  }
}
