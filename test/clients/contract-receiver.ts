// A receiver written by an integrator who has only read the contract: plain Node, its own signature check and its own
// state table. It uses none of the service's code and verifies everything the service sends.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as https from 'node:https';

export interface ContractRestaurant {
  /** The integrator's own name for the restaurant. */
  providerRestaurantId: string;
  secret: string;
  timeZone: string;
}

export interface ContractOrder {
  serviceOrderId: string;
  /** The last state processed; NEW until the first webhook. */
  status: string;
  lastStatusAt: number;
  cancellation: { reason: string; cancelReasonId: string; canceledBy: string; timestamp: string } | undefined;
  canceledStatusTimestamp: string | undefined;
}

export interface ContractReceiver {
  port: number;
  orders: Map<string, ContractOrder>;
  /** Contract violations, one sentence each. */
  complaints: string[];
  /** All received webhooks, including duplicates. */
  receivedCount: number;
  /** Dropped by the rule of contract 6.4.4: not later than the last processed webhook of that order. */
  dropped: string[];
  /** True if this body has already been processed. */
  hasProcessed(body: string): boolean;
  close(): Promise<void>;
}

type Kind = 'status' | 'cancel';
type Payload = Record<string, string>;

const STATUS_FIELDS = [
  'event',
  'orderId',
  'serviceOrderId',
  'orderNumber',
  'status',
  'previousStatus',
  'timestamp',
  'provider',
  'providerRestaurantId',
];
const CANCEL_FIELDS = ['event', 'orderId', 'serviceOrderId', 'reason', 'cancelReasonId', 'canceledBy', 'timestamp'];

// Contract 3.
const NEXT_STATES: Record<string, string[]> = {
  NEW: ['VALIDATED', 'CANCELED'],
  VALIDATED: ['ROUTED', 'ASSIGNED', 'PREPARED', 'CANCELED'],
  ROUTED: ['ASSIGNED', 'CANCELED'],
  ASSIGNED: ['ACCEPTED', 'CANCELED'],
  ACCEPTED: ['PREPARED', 'CANCELED'],
  PREPARED: ['ON_DELIVERY', 'CANCELED'],
  ON_DELIVERY: ['DELIVERED', 'CANCELED'],
  DELIVERED: [],
  CANCELED: [],
};

// Contract 6.3.
const CANCELED_BY: Record<string, string[]> = {
  CUSTOMER_REQUEST: ['Restaurant'],
  OUT_OF_STOCK: ['Restaurant'],
  WRONG_ADDRESS: ['Courier'],
  CUSTOMER_NOT_AVAILABLE: ['Courier'],
  COURIER_NOT_AVAILABLE: ['System'],
  RESTAURANT_CLOSED: ['System'],
  OTHER: ['Restaurant', 'Courier'],
};

/** The headers of contract 4.2, and those that HTTP/1.1 requires for a body. */
const HEADERS = ['connection', 'content-length', 'content-type', 'host', 'x-service-signature'];
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}([+-]\d\d:\d\d)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export interface ContractReceiverOptions {
  certificate: { cert: string; key: string };
  /** Keyed by the first part of the path: `/<name>/status` and `/<name>/cancel`. */
  restaurants: Map<string, ContractRestaurant>;
}

export async function startContractReceiver(options: ContractReceiverOptions): Promise<ContractReceiver> {
  const received = new ReceivedWebhooks();
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const [, name = '', kind = ''] = (request.url ?? '').split('/');
    const restaurant = options.restaurants.get(name);
    const isKnown = restaurant !== undefined && (kind === 'status' || kind === 'cancel');
    const status = isKnown ? received.receive(request, body, { restaurant, kind }) : 404;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ received: status === 200 }));
  }
  const server = https.createServer(options.certificate, (request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
  return {
    port: address.port,
    orders: received.orders,
    complaints: received.complaints,
    get receivedCount() {
      return received.receivedCount;
    },
    dropped: received.dropped,
    hasProcessed: (body) => received.processed.has(body),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Contract 5.3: recomputed from the raw bytes and compared in constant time. */
export function isSigned(body: Buffer, header: string | string[] | undefined, secret: string): boolean {
  if (typeof header !== 'string' || !/^[0-9a-f]{64}$/.test(header)) return false;
  const expected = createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(header, 'hex'));
}

class ReceivedWebhooks {
  orders = new Map<string, ContractOrder>();
  complaints: string[] = [];
  dropped: string[] = [];
  processed = new Set<string>();
  receivedCount = 0;

  /** The status to answer with. */
  receive(request: IncomingMessage, body: Buffer, at: { restaurant: ContractRestaurant; kind: Kind }): number {
    this.receivedCount += 1;
    const text = body.toString('utf8');
    if (!isSigned(body, request.headers['x-service-signature'], at.restaurant.secret)) {
      this.complaints.push(`wrong signature: ${text}`);
      return 401;
    }
    const problems = [...checkHead(request), ...checkBody(text, at)];
    if (problems.length === 0) problems.push(...this.#process(JSON.parse(text) as Payload, at.kind, text));
    this.complaints.push(...problems.map((problem) => `${problem}: ${text}`));
    return problems.length === 0 ? 200 : 500;
  }

  #process(payload: Payload, kind: Kind, text: string): string[] {
    // IDs are chosen by the integrator, so they are unique only within one of its restaurants.
    const key = payload['serviceOrderId'] ?? '';
    const order = this.orders.get(key) ?? {
      serviceOrderId: key,
      status: 'NEW',
      lastStatusAt: Number.NEGATIVE_INFINITY,
      cancellation: undefined,
      canceledStatusTimestamp: undefined,
    };
    this.orders.set(key, order);
    const problems =
      kind === 'status' ? this.#processStatus(order, payload, text) : this.#processCancel(order, payload, text);
    this.processed.add(text);
    return problems;
  }

  #processStatus(order: ContractOrder, payload: Payload, text: string): string[] {
    const { status = '', previousStatus = '', timestamp = '' } = payload;
    const at = Date.parse(timestamp);
    if (at <= order.lastStatusAt) {
      this.dropped.push(text);
      return this.processed.has(text) ? [] : ['the rule of 6.4.4 drops an update that was never processed'];
    }
    const problems: string[] = [];
    if (previousStatus !== order.status) problems.push(`the last state was ${order.status}`);
    if (NEXT_STATES[previousStatus]?.includes(status) !== true) problems.push('no such transition');
    order.status = status;
    order.lastStatusAt = at;
    if (status === 'CANCELED') order.canceledStatusTimestamp = timestamp;
    return problems;
  }

  #processCancel(order: ContractOrder, payload: Payload, text: string): string[] {
    if (order.cancellation !== undefined) {
      this.dropped.push(text);
      return this.processed.has(text) ? [] : ['an order was canceled twice'];
    }
    const { reason = '', cancelReasonId = '', canceledBy = '', timestamp = '' } = payload;
    order.cancellation = { reason, cancelReasonId, canceledBy, timestamp };
    return CANCELED_BY[cancelReasonId]?.includes(canceledBy) === true ? [] : ['no such reason by this party'];
  }
}

function checkHead(request: IncomingMessage): string[] {
  const problems: string[] = [];
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  if (names.sort().join() !== HEADERS.join()) problems.push(`headers ${names.join()}`);
  if (request.headers['content-type'] !== 'application/json') problems.push('content type');
  if (request.method !== 'POST') problems.push('method');
  return problems;
}

function checkBody(text: string, { restaurant, kind }: { restaurant: ContractRestaurant; kind: Kind }): string[] {
  const payload = JSON.parse(text) as Payload;
  const isStatus = kind === 'status';
  const problems: string[] = [];
  if (JSON.stringify(payload) !== text) problems.push('not compact');
  if (Object.keys(payload).join() !== (isStatus ? STATUS_FIELDS : CANCEL_FIELDS).join()) problems.push('fields');
  if (Object.values(payload).some((value) => typeof value !== 'string' || value === '')) problems.push('a value');
  if (payload['event'] !== (isStatus ? 'order.status_changed' : 'order.canceled')) problems.push('event');
  if (!UUID.test(payload['serviceOrderId'] ?? '')) problems.push('serviceOrderId');
  if (isStatus) {
    if (payload['provider'] !== 'THIRD_PARTY') problems.push('provider');
    if (payload['providerRestaurantId'] !== restaurant.providerRestaurantId) problems.push('providerRestaurantId');
    if (!/^\d+$/.test(payload['orderNumber'] ?? '')) problems.push('orderNumber');
  }
  return [...problems, ...checkTimestamp(payload['timestamp'] ?? '', restaurant.timeZone)];
}

function checkTimestamp(timestamp: string, timeZone: string): string[] {
  const [, offset] = TIMESTAMP.exec(timestamp) ?? [];
  if (offset === undefined) return ['timestamp'];
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const shown = local.format(new Date(timestamp)).replace(' ', 'T');
  return timestamp.startsWith(shown) ? [] : [`timestamp is not the local time of ${timeZone}`];
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
