// Every ID in a path, every query parameter and every text or number in the body of every route × values that
// PostgreSQL or Date cannot represent: none of them causes a 5xx.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '../../../src/domain/canonical-json.ts';
import { PANEL_ROUTES } from '../../../src/http/panel-routes.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';
import { BROKEN_ROUTES } from '../../tenants/broken-routes.ts';
import { becomePerson, PEOPLE, send, type Person, type Request } from '../../tenants/people.ts';
import {
  admits,
  buildRequest,
  INTEGRATOR_ROUTES,
  listKinds,
  makeSome,
  nameOf,
  type TriedRoute,
} from '../../tenants/requests.ts';
import { ROUTE_EXAMPLES, type Example } from '../../tenants/route-examples.ts';
import { openTenant, type Tenant } from '../../tenants/tenant.ts';

interface HostileRoute extends TriedRoute {
  query?: z.ZodType | undefined;
}
const ROUTES: HostileRoute[] = [...PANEL_ROUTES, ...INTEGRATOR_ROUTES];
/** Integrator routes read their query without a schema. */
const INTEGRATOR_QUERIES: Record<string, string[]> = {
  'POST /webhook/third-party/order': ['dryRun'],
  'GET /webhook/third-party/events': ['after', 'limit'],
};

/** Percent-encoded. */
const URL_VALUES = [
  '',
  '%00',
  'a%00b',
  '-1',
  '99999999999999999999',
  '999999999999999',
  '1e400',
  'NaN',
  'infinity',
  '-infinity',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999-23:59',
  '%ED%A0%80',
  '%F0%9F%98%80',
  '%25%27%5C%22',
  '00000000-0000-0000-0000-000000000000',
  '00000000-0000-0000-0000-000000000000,00000000-0000-0000-0000-000000000000',
  'x'.repeat(10_000),
];

const BODY_VALUES = [
  'a\u0000b',
  '\uD800',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+15:59',
  '9999-12-31T23:59:59.999-23:59',
  'infinity',
  'x'.repeat(10_000),
  -1,
  1e300,
  1e20,
];

let service: TestService;
let tenant: Tenant;
const people: Person[] = [];

beforeAll(async () => {
  service = await startService({ roles: ['api'], parts: { routes: [...PANEL_ROUTES, ...BROKEN_ROUTES] } });
  tenant = await openTenant(service, 'Hostile');
  for (const name of PEOPLE) people.push(await becomePerson(service, tenant, name));
});
afterAll(() => service.stop());

test.each(ROUTES.map((route) => [nameOf(route), route] as const))('%s: no value is answered 5xx', async (_, route) => {
  expect(await listFailures(route, ROUTE_EXAMPLES[nameOf(route)] ?? [])).toEqual([]);
});

test('control: a route that casts its query unchecked is detected', async () => {
  const casting = BROKEN_ROUTES.find(({ url }) => url === '/api/broken/casts');
  if (casting === undefined) throw new Error('there is no such route');
  expect(await listFailures(casting, [{}])).toContain('500 /api/broken/casts?at=NaN undefined');
});

async function listFailures(route: HostileRoute, examples: readonly Example[]): Promise<string[]> {
  const failures: string[] = [];
  for (const [index, example] of examples.entries()) {
    const person = await choosePerson(route, example);
    const own = await build(route, example, person);
    // Examples of a route differ in their values but not in their parameters, so the URL is tested once.
    const inUrl = index === 0 ? [...spoilPath(route, own), ...spoilQuery(route, own)] : [];
    const answers = await askAll(person, inUrl);
    let fresh = own;
    for (const leaf of listLeaves(own.body ?? null)) {
      for (const value of BODY_VALUES) {
        const answer = await ask(person, { ...fresh, body: replaceLeaf(fresh.body ?? null, leaf, value) });
        answers.push(answer);
        // Otherwise the next request would be refused because the object is already canceled or deleted.
        if (answer.status < 300) fresh = await build(route, example, person);
      }
    }
    failures.push(...answers.filter(({ status }) => status >= 500).map(describe));
  }
  return failures;
}

interface Asked {
  request: Request;
  status: number;
}

function describe({ request, status }: Asked): string {
  return `${status} ${request.path} ${JSON.stringify(request.body)}`.slice(0, 300);
}

async function choosePerson(route: HostileRoute, { uses }: Example): Promise<Person> {
  const chosen = uses === undefined ? people.find((person) => admits(route, person)) : undefined;
  return chosen ?? becomePerson(service, tenant, uses ?? 'anonymous');
}

async function build(route: HostileRoute, example: Example, { courierId }: Person): Promise<Request> {
  const ids = await makeSome(tenant, listKinds(route, example), { stage: example.stage ?? 'new', courierId });
  return buildRequest(route, example, ids);
}

async function ask(person: Person, request: Request): Promise<Asked> {
  const { status } = await send(service.address, person, request);
  return { request, status };
}

/** As many at once as a page may send. A user who sends more is slowed down. */
const AT_ONCE = 16;

async function askAll(person: Person, requests: readonly Request[]): Promise<Asked[]> {
  const answers: Asked[] = [];
  for (let from = 0; from < requests.length; from += AT_ONCE) {
    const together = requests.slice(from, from + AT_ONCE).map((request) => ask(person, request));
    answers.push(...(await Promise.all(together)));
  }
  return answers;
}

/** Replaces each path parameter in turn. */
function spoilPath({ url }: HostileRoute, request: Request): Request[] {
  const [path = '', query] = request.path.split('?');
  const given = path.split('/');
  return url.split('/').flatMap((part, index) =>
    part.startsWith(':')
      ? URL_VALUES.map((value) => {
          const spoiled = given.with(index, value).join('/');
          return { ...request, path: query === undefined ? spoiled : `${spoiled}?${query}` };
        })
      : [],
  );
}

/** Replaces each query parameter in turn; also sends it twice and as an array. */
function spoilQuery(route: HostileRoute, request: Request): Request[] {
  const [path = '', query = ''] = request.path.split('?');
  return listQueryNames(route).flatMap((name) => {
    const others = new URLSearchParams(query);
    others.delete(name);
    const rest = others.toString();
    const forms = [...URL_VALUES.map((value) => `${name}=${value}`), `${name}=1&${name}=2`, `${name}[]=1`, name];
    return forms.map((form) => ({ ...request, path: `${path}?${rest === '' ? '' : `${rest}&`}${form}` }));
  });
}

function listQueryNames(route: HostileRoute): string[] {
  if (route.query === undefined) return INTEGRATOR_QUERIES[nameOf(route)] ?? [];
  const schema = z.toJSONSchema(route.query, { io: 'input', unrepresentable: 'any' });
  return Object.keys(schema.properties ?? {});
}

type Leaf = readonly (string | number)[];

/** Positions of all strings and numbers. */
function listLeaves(value: unknown, at: Leaf = []): Leaf[] {
  if (typeof value === 'string' || typeof value === 'number') return [at];
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  return entries.flatMap(([key, item]) => listLeaves(item, [...at, key]));
}

function replaceLeaf(value: unknown, [first, ...rest]: Leaf, replacement: JsonValue): unknown {
  if (first === undefined) return replacement;
  if (Array.isArray(value)) return value.with(Number(first), replaceLeaf(value[Number(first)], rest, replacement));
  const object = Object(value) as Record<string, unknown>;
  return { ...object, [first]: replaceLeaf(object[first], rest, replacement) };
}
