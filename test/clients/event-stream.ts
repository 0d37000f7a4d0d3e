// Reads the live page's stream like a browser and keeps the events.
import { request } from 'node:http';

type Fields = Record<string, unknown>;

export interface EventStream {
  status: number;
  /** The name of the first event. */
  first: string | undefined;
  /** The latest state of each order, by ID. */
  orders: Map<string, Fields>;
  webhooks: Fields[];
  waitFor(predicate: (stream: EventStream) => boolean): Promise<void>;
  ended: Promise<void>;
  close(): void;
}

const PATIENCE_MS = 25_000;

export function openEventStream(url: string): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const checks = new Set<() => void>();
    const asked = request(url, { headers: { accept: 'text/event-stream' } }, (response) => {
      const ended = Promise.withResolvers<void>();
      const stream: EventStream = {
        status: response.statusCode ?? 0,
        first: undefined,
        orders: new Map(),
        webhooks: [],
        waitFor: (predicate) => waitUntil(() => predicate(stream), checks),
        ended: ended.promise,
        close: () => asked.destroy(),
      };
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const messages = (text + chunk).split('\n\n');
        text = messages.pop() ?? '';
        for (const message of messages) take(stream, message);
        for (const check of checks) check();
      });
      response.on('close', () => ended.resolve()).on('error', () => undefined);
      resolve(stream);
    });
    asked.on('error', reject).end();
  });
}

function take(stream: EventStream, message: string): void {
  const lines = message.split('\n');
  const fieldOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = fieldOf('data');
  if (data === undefined) return;
  stream.first ??= fieldOf('event');
  const { orders, webhooks } = JSON.parse(data) as { orders: (Fields & { id: string })[]; webhooks: Fields[] };
  for (const order of orders) stream.orders.set(order.id, order);
  stream.webhooks.push(...webhooks);
}

function waitUntil(isSo: () => boolean, checks: Set<() => void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      checks.delete(check);
      reject(new Error('the stream never sent it'));
    }, PATIENCE_MS);
    const check = (): void => {
      if (!isSo()) return;
      clearTimeout(timer);
      checks.delete(check);
      resolve();
    };
    checks.add(check);
    check();
  });
}
