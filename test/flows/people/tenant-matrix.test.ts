// Tenants × roles × routes × IDs, generated from the route tables: foreign data cannot be read, changed or
// distinguished from absent data.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRequestAdmission } from '../../../src/actions/restaurants/admit-request.ts';
import { createCredentialCache } from '../../../src/http/integrator/credential-cache.ts';
import { createMetrics } from '../../../src/http/metrics/metrics.ts';
import type { PanelRoute } from '../../../src/http/panel/route.ts';
import { PANEL_ROUTES } from '../../../src/http/panel-routes.ts';
import { listRoutes } from '../../../src/http/server.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';
import { BROKEN_ROUTES } from '../../tenants/broken-routes.ts';
import { findLeaks, openMatrix, tryRoute, type Matrix } from '../../tenants/matrix.ts';
import { send } from '../../tenants/people.ts';
import { INTEGRATOR_ROUTES, listKinds, listPathKinds, nameOf, type TriedRoute } from '../../tenants/requests.ts';
import { ROUTE_EXAMPLES, type Example } from '../../tenants/route-examples.ts';
import type { Ids } from '../../tenants/tenant.ts';

const TRIED: TriedRoute[] = [...PANEL_ROUTES, ...INTEGRATOR_ROUTES];

let database: TestDatabase;
let service: TestService;
let matrix: Matrix;

beforeAll(async () => {
  database = await createTestDatabase();
  const databaseUrl = database.url;
  const masterKey = randomBytes(32);
  // Without delivery and planning, only requests change rows.
  const start = (routes: readonly PanelRoute[]) =>
    startService({ databaseUrl, masterKey, roles: ['api'], parts: { routes } });
  matrix = await openMatrix(
    () => start([...PANEL_ROUTES, ...BROKEN_ROUTES]),
    () => start(PANEL_ROUTES),
  );
  service = matrix.service;
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

function examplesOf(route: { method: string; url: string }): Example[] {
  const examples = ROUTE_EXAMPLES[nameOf(route)];
  if (examples === undefined) throw new Error(`no example for route ${nameOf(route)}: add one to route-examples.ts`);
  return examples;
}

describe('the examples', () => {
  test('cover every route and contain no unknown one', () => {
    for (const route of TRIED) examplesOf(route);
    expect(Object.keys(ROUTE_EXAMPLES).filter((name) => !TRIED.some((route) => nameOf(route) === name))).toEqual([]);
    expect(() => examplesOf({ method: 'GET', url: '/api/brand-new' })).toThrow(
      'no example for route GET /api/brand-new',
    );
  });

  test('cover every integrator route of the server', () => {
    const { app } = service;
    const served = listRoutes({
      ...app,
      environment: 'live',
      credentials: createCredentialCache(app),
      admission: createRequestAdmission(app),
      metricsAccess: { token: null },
      trustedProxies: [],
      metrics: createMetrics({ ...app, collect: () => Promise.reject(new Error('not read')), poolStats: () => [] }),
      isStopping: () => false,
    });
    const names = served.filter(({ access }) => access === 'integrator').map(nameOf);
    expect(INTEGRATOR_ROUTES.map(nameOf)).toEqual(names);
  });

  test.each(PANEL_ROUTES.map((route) => [nameOf(route), route] as const))(
    '%s: every id in its schemas is covered',
    (_, route) => {
      const missing = listIdFields(route).filter((field) => !examplesOf(route).some((one) => fills(one, field)));
      expect(missing).toEqual([]);
    },
  );
});

/** Fields of the query and the body that take a UUID. */
function listIdFields({ query, body }: PanelRoute): string[] {
  const fields = new Set<string>();
  const look = (schema: z.core.JSONSchema.JSONSchema, name: string): void => {
    if (schema.format === 'uuid') fields.add(name);
    for (const [key, property] of Object.entries(schema.properties ?? {})) look(Object(property), key);
    for (const choice of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) look(Object(choice), name);
    if (schema.items !== undefined) look(Object(schema.items), name);
  };
  for (const schema of [query, body]) {
    if (schema !== undefined) look(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), '');
  }
  return [...fields];
}

function fills({ query, body }: Example, field: string): boolean {
  const named = new Proxy({} as Ids, { get: (_, kind) => `<${String(kind)}>` });
  const text = JSON.stringify([query?.(named), body?.(named)]);
  return new RegExp(`"${field}":\\[?"<`).test(text);
}

test.each(TRIED.map((route) => [nameOf(route), route] as const))(
  '%s: foreign data is neither returned nor changed, and is answered like missing data',
  async (_, route) => {
    expect(await tryRoute(matrix, route, examplesOf(route))).toEqual([]);
  },
);

test('the matrix covers ids in paths, queries, bodies and headers', () => {
  const kinds = TRIED.flatMap((route) => examplesOf(route).flatMap((example) => listKinds(route, example)));
  expect(kinds.length).toBeGreaterThan(80);
  expect(TRIED.filter((route) => listPathKinds(route).length > 1).length).toBeGreaterThan(1);
});

test('public pages reveal no tenant', async () => {
  const [anonymous] = matrix.people;
  if (anonymous?.name !== 'anonymous') throw new Error('nobody is anonymous');
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/', '/sign-in']) {
    const request = { method: 'GET', path, headers: {}, body: undefined };
    const answer = await send(service.address, anonymous, request);
    expect([path, findLeaks(matrix, { request, answer, ids: {} })]).toEqual([path, []]);
  }
});

describe('control: the matrix reports a route that', () => {
  const find = async (url: string, example: Example = {}): Promise<string> => {
    const route = BROKEN_ROUTES.find((candidate) => candidate.url === url);
    if (route === undefined) throw new Error(`there is no ${url}`);
    return (await tryRoute(matrix, route, [example])).join('\n');
  };

  test('returns an order of any restaurant', async () => {
    expect(await find('/api/broken/shows/:orderId')).toContain('(foreign) receives Foreign');
  });
  test('answers differently for a foreign order', async () => {
    expect(await find('/api/broken/reveals/:orderId')).toMatch(/foreign gets 409.*absent gets 404/);
  });
  test('changes an order of any restaurant', async () => {
    expect(await find('/api/broken/changes/:orderId')).toContain('foreign rows changed in orders');
  });
  test('ignores the order of an event', async () => {
    const found = await find('/api/broken/pairs/:orderId/:eventId', { stage: 'approved' });
    expect(found).toMatch(/owner: ids that do not belong together get 200.*an absent eventId gets 404/);
  });
  test('lists all restaurants', async () => {
    expect(await find('/api/broken/lists')).toContain('owner receives Foreign');
  });
});
