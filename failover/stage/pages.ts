// What the people of the staffed restaurant do on their pages: approve an order, offer it to the courier, cook it, and
// deliver it.
import { randomUUID } from 'node:crypto';
import { courierApi, type ActsAnswer } from '../../src/contract/panel/couriers/courier-page.ts';
import { ordersApi } from '../../src/contract/panel/orders/orders.ts';
import { signInApi } from '../../src/contract/panel/people/sign-in.ts';
import { writeUrl } from '../../src/contract/panel/route-url.ts';
import { formatUtc } from '../../src/domain/time.ts';
import type { ClientLine } from '../../harness/history.ts';
import type { Ask, Reply } from './client.ts';

export interface Person {
  email: string;
  password: string;
}

type Insist = (asked: Omit<Ask, 'isRepeat'>) => Promise<Reply>;

interface PagesOptions {
  write(line: ClientLine): void;
  staffed: { owner: Person; courier: Person; courierId: string };
}

export interface Pages {
  signIn(): Promise<void>;
  /** False if a step was refused. */
  deliver(orderId: string): Promise<boolean>;
}

const PAGE_HEADERS = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

export function openPages(insist: Insist, { write, staffed }: PagesOptions): Pages {
  const cookies = new Map<Person, string>();

  async function signIn(person: Person): Promise<void> {
    const reply = await insist({
      kind: 'panel',
      method: 'POST',
      path: writeUrl(signInApi.signIn),
      headers: PAGE_HEADERS,
      body: person,
    });
    if (reply.status !== 200) throw new Error(`${person.email} is not signed in: ${JSON.stringify(reply.body)}`);
    const pairs = (reply.headers['set-cookie'] ?? []).map((line) => line.split('; ')[0] ?? '');
    cookies.set(person, pairs.join('; '));
  }

  async function send(person: Person, path: string, body: object): Promise<Reply> {
    const headers = { ...PAGE_HEADERS, cookie: cookies.get(person) ?? '' };
    const reply = await insist({ kind: 'panel', method: 'POST', path, headers, body });
    if (reply.status !== 401) return reply;
    await signIn(person);
    return insist({
      kind: 'panel',
      method: 'POST',
      path,
      headers: { ...headers, cookie: cookies.get(person) ?? '' },
      body,
    });
  }

  const { owner, courier, courierId } = staffed;

  /** True if it is done, also if an earlier try did it. */
  async function command(orderId: string, body: { command: string; courierId?: string }, to: string): Promise<boolean> {
    const { status } = await send(owner, writeUrl(ordersApi.command, { params: { orderId } }), body);
    if (status === 200) write({ kind: 'changed', serviceOrderId: orderId, to });
    return status === 200;
  }

  async function accept(orderId: string): Promise<boolean> {
    const { status } = await send(courier, writeUrl(courierApi.accept, { params: { orderId } }), {});
    if (status === 200) write({ kind: 'changed', serviceOrderId: orderId, to: 'ACCEPTED' });
    return status === 200;
  }

  async function act(orderId: string, kind: 'picked_up' | 'delivered', to: string): Promise<boolean> {
    const acts = [{ id: randomUUID(), orderId, kind, at: formatUtc(Date.now()) }];
    const { status, body } = await send(courier, writeUrl(courierApi.reportActs), { acts });
    const { results = [] } = body as Partial<ActsAnswer>;
    const isApplied = status === 200 && results[0]?.outcome === 'applied';
    if (isApplied) write({ kind: 'changed', serviceOrderId: orderId, to });
    return isApplied;
  }

  return {
    signIn: async () => {
      await signIn(owner);
      await signIn(courier);
    },
    deliver: async (orderId) =>
      (await command(orderId, { command: 'approve' }, 'VALIDATED')) &&
      (await command(orderId, { command: 'assign', courierId }, 'ASSIGNED')) &&
      (await accept(orderId)) &&
      (await command(orderId, { command: 'prepare' }, 'PREPARED')) &&
      (await act(orderId, 'picked_up', 'ON_DELIVERY')) &&
      (await act(orderId, 'delivered', 'DELIVERED')),
  };
}
