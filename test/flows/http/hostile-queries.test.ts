// Sends every route that takes query parameters values that the database cannot store or that programs do not expect.
// Generated from the route tables, so new routes are covered automatically.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ROLES, type Role } from '../../../src/domain/people/roles.ts';
import type { PanelRoute } from '../../../src/http/panel/route.ts';
import { PANEL_ROUTES } from '../../../src/http/panel-routes.ts';
import { signInAs, type Browser } from '../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

let service: TestService;
let restaurant: TestRestaurant;
const people = new Map<Role, Browser>();

beforeAll(async () => {
  service = await startService({ roles: ['api'] });
  restaurant = await service.addRestaurant();
  const courier = await service.addCourier();
  for (const role of ROLES) {
    const belongs = role === 'courier' ? { courier } : role === 'operator' ? {} : { restaurant };
    people.set(role, await signInAs(service, role, belongs));
  }
});
afterAll(() => service.stop());

const NUL = ['%00', 'a%00b', '2026-03-01T12:00:00Z%00'];
/** In UTC, these are in years that PostgreSQL's timestamps lack, or that JavaScript formats differently. */
const TIMES = [
  '0000-01-01T00:00:00Z',
  '0000-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00%2B14:00',
  '9999-12-31T23:59:59-14:00',
  '2026-02-30T00:00:00Z',
  '2026-03-01T24:00:00Z',
  '%2B010000-01-01T00:00:00Z',
];
const ODD = [
  '',
  '%20',
  '%ff',
  '%ED%A0%80',
  '%EF%BF%BF',
  '%F0%9F%98%80',
  '%',
  '%2',
  "'",
  '%5C',
  '%25',
  '_',
  '%0A',
  '%7F',
  '-1',
  '0',
  '1e400',
  '1e-400',
  'NaN',
  'Infinity',
  '0x10',
  '9223372036854775808',
  '99999999999999999999',
  'null',
  'true',
  '[]',
  '{}',
  '__proto__',
  'wb1:0',
  'd2IxOjA',
  '../..',
  ','.repeat(300),
  'a'.repeat(8_000),
];

const WITH_QUERY = PANEL_ROUTES.filter(({ query }) => query !== undefined);

/** Each parameter, and whether it is a time. */
function parametersOf({ query }: PanelRoute): { name: string; isTime: boolean }[] {
  const schema = z.toJSONSchema(query ?? z.object({}), { io: 'input', unrepresentable: 'any' });
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    isTime: typeof property === 'object' && property.format === 'date-time',
  }));
}

/** The route's address with valid values for everything else. */
function addressOf(route: PanelRoute, name: string, value: string): string {
  const path = route.url.replaceAll(/:(\w+)/g, (_, param: string) => route.sample.params?.[param] ?? randomUUID());
  const others = new URLSearchParams(route.sample.query);
  others.delete(name);
  return `${path}?${[others.toString(), `${name}=${value}`].filter(Boolean).join('&')}`;
}

function callerOf({ roles }: PanelRoute): Browser {
  const browser = people.get(roles === 'anyone' ? 'owner' : (roles[0] ?? 'owner'));
  if (browser === undefined) throw new Error('nobody may call it');
  return browser;
}

test('the table includes routes with query parameters', () => {
  expect(WITH_QUERY.length).toBeGreaterThan(8);
  expect(WITH_QUERY.flatMap(parametersOf).length).toBeGreaterThan(15);
  expect(WITH_QUERY.flatMap(parametersOf).filter(({ isTime }) => isTime).length).toBeGreaterThan(3);
});

test.each(WITH_QUERY.map((route) => [`${route.method} ${route.url}`, route] as const))(
  '%s: NUL and impossible times are answered 422, and no value is answered 500',
  async (_, route) => {
    const browser = callerOf(route);
    const failed: string[] = [];
    for (const { name, isTime } of parametersOf(route)) {
      const impossible = new Set([...NUL, ...(isTime ? TIMES : [])]);
      for (const value of [...NUL, ...TIMES, ...ODD, `a&${name}=b`]) {
        const { status, body } = await browser.get(addressOf(route, name, value));
        const isRight = impossible.has(value) ? status === 422 && body.code === 'REQ_004' : status < 500;
        if (!isRight) failed.push(`${name}=${value.slice(0, 40)}: ${status}`);
      }
    }
    expect(failed).toEqual([]);
  },
);

test('NUL from integrators is answered 422, never 500', async () => {
  const failed: string[] = [];
  const paths = ['events?after=', 'events?limit=', 'events?other=', 'order/A1?other='];
  for (const path of paths) {
    for (const value of [...NUL, ...TIMES, ...ODD]) {
      const { status } = await service.get(restaurant, `${path}${value}`);
      if (NUL.includes(value) ? status !== 422 : status >= 500) failed.push(`${path}${value.slice(0, 40)}: ${status}`);
    }
  }
  for (const value of NUL) {
    const { status } = await service.post(restaurant, { orderId: 'never' }, `?dryRun=${value}`);
    if (status !== 422) failed.push(`dryRun=${value}: ${status}`);
  }
  expect(failed).toEqual([]);
});

test('a path that contains NUL is answered 404 on every route', async () => {
  const failed: string[] = [];
  for (const route of PANEL_ROUTES.filter(({ url, method }) => url.includes(':') && method === 'GET')) {
    const { status } = await callerOf(route).get(route.url.replaceAll(/:\w+/g, 'a%00b'));
    if (status !== 404) failed.push(`${route.url}: ${status}`);
  }
  for (const path of ['/', '/docs', '/orders', '/demo', '/healthz', '/openapi.json', '/assets/a.js']) {
    const { status } = await fetch(`${service.address}${path}?a=%00`);
    if (status >= 500) failed.push(`${path}: ${status}`);
  }
  expect((await service.get(restaurant, 'order/a%00b')).status).toBe(404);
  expect(failed).toEqual([]);
});
