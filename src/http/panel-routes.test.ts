// Requests every route in the table as each kind of user who must be refused. New routes are covered automatically.
// Ids of other tenants are covered by test/flows/people/tenant-matrix.test.ts.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openBrowser, signInAs, type Browser, type PanelAnswer } from '../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../harness/service/service.ts';
import { REFUSAL_STATUS } from '../contract/refusal-status.ts';
import { ROLES, type Role } from '../domain/people/roles.ts';
import type { PanelRoute } from './panel/route.ts';
import { PANEL_ROUTES } from './panel-routes.ts';

let service: TestService;
let mine: TestRestaurant;
let courierId: string;
const people = new Map<Role, Browser>();

beforeAll(async () => {
  service = await startService();
  mine = await service.addRestaurant();
  courierId = await service.addCourier('Ada');
  for (const role of ROLES) people.set(role, await signInAs(service, role, belongingsOf(role)));
});
afterAll(() => service.stop());

function belongingsOf(role: Role): { restaurant?: TestRestaurant; courier?: string } {
  if (role === 'owner' || role === 'staff') return { restaurant: mine };
  return role === 'courier' ? { courier: courierId } : {};
}

const nameOf = ({ method, url }: PanelRoute) => `${method} ${url}`;
const NAMED = PANEL_ROUTES.map((route) => [nameOf(route), route] as const);
const PROTECTED = NAMED.filter(([, { roles }]) => roles !== 'anyone');
const WITH_ID = PROTECTED.filter(([, { url }]) => url.includes(':'));
const CHANGING = NAMED.filter(([, { method }]) => method !== 'GET');

function addressOf(route: PanelRoute): string {
  const path = route.url.replaceAll(/:(\w+)/g, (_, name: string) => route.sample.params?.[name] ?? randomUUID());
  const query = new URLSearchParams(route.sample.query).toString();
  return query === '' ? path : `${path}?${query}`;
}

function bodyOf(route: PanelRoute): unknown {
  if (route.sample.body !== undefined) return route.sample.body;
  return route.body === undefined
    ? {}
    : makeSample(z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' }));
}

// The smallest value that the schema accepts.
function makeSample(schema: z.core.JSONSchema.JSONSchema): unknown {
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice !== undefined) return makeSample(Object(choice));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, makeSample(Object(schema.properties?.[name]))]),
      );
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => makeSample(Object(schema.items)));
    case 'string':
      return makeText(schema);
    case 'number':
    case 'integer':
      return Math.max(schema.minimum ?? 0, 0);
    case 'boolean':
      return false;
    default:
      return null;
  }
}

function makeText({ format, minLength = 1 }: z.core.JSONSchema.JSONSchema): string {
  if (format === 'uuid') return randomUUID();
  if (format === 'date-time') return '2026-03-01T12:00:00+03:00';
  if (format === 'uri') return 'https://hooks.example.com/status';
  return format === 'email' ? 'a@example.com' : 'a'.repeat(minLength);
}

function ask(browser: Browser, route: PanelRoute): Promise<PanelAnswer> {
  const address = addressOf(route);
  return route.method === 'GET' ? browser.get(address) : browser.send(route.method, address, bodyOf(route));
}

function person(role: Role): Browser {
  const browser = people.get(role);
  if (browser === undefined) throw new Error(`nobody is ${role}`);
  return browser;
}

test('the table is not empty, lists each route once and gives every route at least one role', () => {
  expect(PANEL_ROUTES.length).toBeGreaterThan(15);
  expect(WITH_ID.length).toBeGreaterThan(2);
  expect(new Set(PANEL_ROUTES.map(nameOf)).size).toBe(PANEL_ROUTES.length);
  expect(PANEL_ROUTES.filter(({ roles }) => roles !== 'anyone' && roles.length === 0)).toEqual([]);
});

test('every route under /api/operator is for operators only', () => {
  for (const route of PANEL_ROUTES) {
    if (route.url.startsWith('/api/operator/'))
      expect([nameOf(route), route.roles]).toEqual([nameOf(route), ['operator']]);
  }
});

test.each(PROTECTED)('%s: no session or a forged cookie gets 401', async (_, route) => {
  const nobody = openBrowser(service.address);
  expect((await ask(nobody, route)).body.code).toBe('AUTH_020');
  const [name, value = ''] = [...person('operator').cookies].find(([cookie]) => cookie.includes('session')) ?? [];
  for (const forged of [value.slice(0, -6), `x${value}`, value.split('.')[0] ?? '', '%']) {
    nobody.cookies.set(name ?? '', forged);
    expect((await ask(nobody, route)).status).toBe(401);
  }
});

test.each(PROTECTED)('%s: an ended session gets 401', async (_, route) => {
  const role = ROLES.find((candidate) => route.roles.includes(candidate)) ?? 'operator';
  const gone = await signInAs(service, role, belongingsOf(role));
  await service.app.db.query('delete from sessions where user_id = $1', [gone.login.userId]);
  expect((await ask(gone, route)).body.code).toBe('AUTH_020');
});

test.each(PROTECTED)('%s: every role that is not listed gets 403', async (_, route) => {
  for (const role of ROLES.filter((candidate) => !route.roles.includes(candidate))) {
    const answer = await ask(person(role), route);
    expect([role, answer.status, answer.body.code]).toEqual([role, 403, 'AUTH_023']);
  }
});

test.each(CHANGING)(
  '%s: a cross-site request or one of unknown origin gets 403, even when signed in',
  async (_, route) => {
    const { host } = new URL(service.address);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
      { 'sec-fetch-site': '', origin: 'https://evil.example' },
    ]) {
      const answer = await person('owner').sendOddly(route.method, addressOf(route), { body: bodyOf(route), headers });
      expect([headers, answer.status, answer.body.code]).toEqual([headers, 403, 'AUTH_024']);
    }
  },
);

test.each(CHANGING)(
  '%s: an allowed role passes authorization, and a form content type is then refused',
  async (_, route) => {
    for (const role of route.roles === 'anyone' ? ROLES : route.roles) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const answer = await person(role).sendOddly(route.method, addressOf(route), {
          body: bodyOf(route),
          headers: { 'content-type': type },
        });
        expect([role, type, answer.status]).toEqual([role, type, REFUSAL_STATUS.REQ_002]);
      }
    }
  },
);

const READING = NAMED.filter(([, { method }]) => method === 'GET');
test.each(READING)('%s: every allowed role passes authorization', async (_, route) => {
  for (const role of route.roles === 'anyone' ? ROLES : route.roles) {
    const headers = { cookie: person(role).cookieHeader() };
    const answer = await fetch(`${service.address}${addressOf(route)}`, { headers });
    expect([role, answer.status]).not.toEqual([role, 401]);
    expect([role, answer.status]).not.toEqual([role, 403]);
    expect([role, answer.status]).not.toEqual([role, 500]);
    await answer.body?.cancel();
  }
});

test.each(NAMED)('%s: the response cannot be cached, framed or sniffed as another type', async (_, route) => {
  const { headers } = await ask(openBrowser(service.address), route);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('referrer-policy')).toBe('no-referrer');
});
