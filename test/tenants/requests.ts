// Builds requests from the route table and the examples: which IDs each of them uses, and who may send it.
import { randomBytes } from 'node:crypto';
import type { Person, Request } from './people.ts';
import type { Example } from './route-examples.ts';
import { ID_KINDS, type IdKind, type Ids, type MakeOptions, type Tenant } from './tenant.ts';

export interface TriedRoute {
  method: string;
  url: string;
  roles: readonly string[] | 'anyone';
}

/** A test compares these with the server's route table. */
export const INTEGRATOR_ROUTES: TriedRoute[] = [
  { method: 'POST', url: '/webhook/third-party/order' },
  { method: 'GET', url: '/webhook/third-party/order/:orderId' },
  { method: 'POST', url: '/webhook/third-party/order/:orderId/cancel' },
  { method: 'GET', url: '/webhook/third-party/events' },
].map((route) => ({ ...route, roles: ['integrator'] }));

export const nameOf = ({ method, url }: { method: string; url: string }): string => `${method} ${url}`;

export function admits({ roles }: TriedRoute, { role }: Person): boolean {
  return roles === 'anyone' ? role === 'nobody' || role === 'owner' : roles.includes(role);
}

export async function makeSome(tenant: Tenant, kinds: readonly IdKind[], options: MakeOptions): Promise<Partial<Ids>> {
  const ids: Partial<Ids> = {};
  for (const kind of kinds) ids[kind] = await tenant.make(kind, { ...options, with: ids });
  return ids;
}

export function buildRequest(route: TriedRoute, example: Example, ids: Partial<Ids>): Request {
  const given = (kind: IdKind): string => ids[kind] ?? '';
  const all = new Proxy({} as Ids, { get: (_, kind) => given(kind as IdKind) });
  const path = route.url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(given(kindOf(route, name))));
  const query = new URLSearchParams(example.query?.(all)).toString();
  return {
    method: route.method,
    path: query === '' ? path : `${path}?${query}`,
    headers: example.headers?.(all) ?? {},
    body: example.body?.(all),
  };
}

export function listPathKinds(route: TriedRoute): IdKind[] {
  return [...route.url.matchAll(/:(\w+)/g)].map(([, name = '']) => kindOf(route, name));
}

/** The kinds of IDs in the path and in the example. */
export function listKinds(route: TriedRoute, example: Example): IdKind[] {
  const used = new Set(listPathKinds(route));
  const recorder = new Proxy({} as Ids, {
    get: (_, kind) => {
      used.add(kind as IdKind);
      return `<${String(kind)}>`;
    },
  });
  example.query?.(recorder);
  example.body?.(recorder);
  example.headers?.(recorder);
  return [...used];
}

function kindOf({ url }: TriedRoute, name: string): IdKind {
  // Integrators use their own order ids.
  const kind = name === 'orderId' && !url.startsWith('/api/') ? 'providerOrderId' : name;
  const known = ID_KINDS.find((candidate) => candidate === kind);
  if (known === undefined) throw new Error(`${url}: no example of a ${name}`);
  return known;
}

/** An ID of the same format that does not exist. */
export function inventLike(kind: IdKind, id: string): string {
  switch (kind) {
    case 'attemptId':
    case 'auditId':
      // A position in a list. The number after the foreign one was skipped on purpose.
      return String(Number(id) + 1);
    case 'orderNumber':
      return String(Number(id) + 500_000);
    case 'liveCursor':
      return id.replace('.0.', '.1.');
    case 'feedCursor':
      // Opaque, so it cannot be made up: only the search for foreign data applies to it.
      return id;
    case 'email':
      return `${randomBytes(8).toString('hex')}@example.com`;
    case 'courierName':
    case 'providerOrderId':
    case 'providerRestaurantId':
      return randomBytes(id.length).toString('hex').slice(0, id.length);
    default:
      return crypto.randomUUID();
  }
}
