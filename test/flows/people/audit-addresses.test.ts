// Generated from the route tables: every audit log entry written by a request contains its client's address.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditActionTexts } from '../../../panel/src/texts/operator/audit-log.ts';
import { setUpCode } from '../../../src/actions/people/set-up-operator.ts';
import type { JsonValue } from '../../../src/domain/canonical-json.ts';
import type { PanelRoute } from '../../../src/http/panel/route.ts';
import { PANEL_ROUTES } from '../../../src/http/panel-routes.ts';
import {
  openBrowser,
  signInAs,
  totpCode,
  type Browser,
  type PanelAnswer,
} from '../../../harness/service/panel-client.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';
import { BROKEN_ROUTES } from '../../tenants/broken-routes.ts';
import { becomePerson, PEOPLE, send, type Person } from '../../tenants/people.ts';
import { admits, buildRequest, INTEGRATOR_ROUTES, listKinds, makeSome, nameOf } from '../../tenants/requests.ts';
import { ROUTE_EXAMPLES, type Example } from '../../tenants/route-examples.ts';
import { openTenant, type Tenant } from '../../tenants/tenant.ts';

type Route = Pick<PanelRoute, 'method' | 'url' | 'roles'>;

const ROUTES = [...PANEL_ROUTES, ...INTEGRATOR_ROUTES].filter(({ method }) => method !== 'GET') as Route[];

/** Requests that write an entry only after another request has prepared the state, so they run last. */
const LATER: [route: string, example: Example][] = [
  ['POST /api/operator/planning/orders/:orderId/lock', { stage: 'approved', body: () => ({ courierId: null }) }],
  ['POST /api/operator/couriers/:courierId/duty', { body: () => ({ onDuty: false }) }],
  ['POST /api/operator/couriers/:courierId/duty', { body: () => ({ onDuty: true }) }],
  ['PUT /api/integration/webhook-urls', { body: () => ({ status: null }) }],
  ['PUT /api/integration/enabled', { body: () => ({ isEnabled: false }) }],
  ['PUT /api/integration/enabled', { body: () => ({ isEnabled: true, sendsHeld: true }) }],
];

/** Written only by the command line. */
const LOCAL_ACTIONS = [
  'account_link.revoked',
  'database.recovered',
  'database.restored',
  'master_key.rotated',
  'session.revoked',
  'user.password_reset',
];

interface Written {
  action: string;
  clientAddress: string | null;
}

const config = { trustedProxies: ['127.0.0.1'] };
const seen = new Set<string>();
let service: TestService;
let tenant: Tenant;
let people: Person[];
let requests = 0;

beforeAll(async () => {
  // Without delivery and planning, only requests change what the examples refer to.
  service = await startService({ roles: ['api'], config, parts: { routes: [...PANEL_ROUTES, ...BROKEN_ROUTES] } });
  tenant = await openTenant(service, 'Native');
  people = await Promise.all(PEOPLE.map((name) => becomePerson(service, tenant, name)));
});
afterAll(() => service.stop());

/** Sends the request from a unique address; returns one line for each entry without that address. */
async function tryRequest(ask: (headers: Record<string, string>) => Promise<unknown>, { app } = service) {
  requests += 1;
  const address = `198.18.${requests >> 8}.${requests & 255}`;
  const [before] = await app.db.query<{ id: string }>('select coalesce(max(id), 0) as id from audit_entries');
  await ask({ 'x-forwarded-for': address });
  const written = await app.db.query<Written>('select action, client_address from audit_entries where id > $1', [
    before?.id,
  ]);
  for (const { action } of written) seen.add(action);
  return written
    .filter((entry) => entry.clientAddress !== address)
    .map((entry) => `${entry.action} from ${entry.clientAddress}, not ${address}`);
}

async function tryRoute(route: Route, examples: readonly Example[]): Promise<string[]> {
  const found: string[] = [];
  for (const example of examples) {
    const callers =
      example.uses === undefined
        ? people.filter((person) => admits(route, person))
        : [await becomePerson(service, tenant, example.uses)];
    for (const person of callers) {
      const { courierId } = person;
      const ids = await makeSome(tenant, listKinds(route, example), { stage: example.stage ?? 'new', courierId });
      const request = buildRequest(route, example, ids);
      found.push(
        ...(await tryRequest((headers) =>
          send(service.address, person, { ...request, headers: { ...request.headers, ...headers } }),
        )),
      );
    }
  }
  return found;
}

test.each(ROUTES.map((route) => [nameOf(route), route] as const))(
  '%s: every audit entry carries the client’s address',
  async (name, route) => {
    expect(await tryRoute(route, ROUTE_EXAMPLES[name] ?? [])).toEqual([]);
  },
);

test.each(LATER)('%s, later request %#: every audit entry carries the client’s address', async (name, example) => {
  const route = ROUTES.find((candidate) => nameOf(candidate) === name);
  if (route === undefined) throw new Error(`there is no ${name}`);
  expect(await tryRoute(route, [example])).toEqual([]);
});

/** `asked` is a method and a path. */
async function tryAs(browser: Browser, asked: string, { body, of }: { body: JsonValue; of: TestService }) {
  const [method = '', path = ''] = asked.split(' ');
  const answers: PanelAnswer[] = [];
  const found = await tryRequest(async (headers) => {
    answers.push(await browser.sendOddly(method, path, { body, headers }));
  }, of);
  const [answer] = answers;
  expect([asked, answer !== undefined && answer.status < 300]).toEqual([asked, true]);
  return { found, body: answer?.body };
}

test('password, second factor and invitation: every audit entry carries the client’s address', async () => {
  const found: string[] = [];
  const act = async (browser: Browser, asked: string, body: JsonValue) => {
    const tried = await tryAs(browser, asked, { body, of: service });
    found.push(...tried.found);
    return tried.body;
  };
  const { restaurant } = tenant;
  const staff = await signInAs(service, 'staff', { restaurant });
  const owner = await signInAs(service, 'owner', { restaurant });
  const operator = await signInAs(service, 'operator');
  const password = 'five words make it long';
  const factor = 'POST /api/session/two-factor';
  await act(staff, 'POST /api/session/password', { currentPassword: staff.login.password, newPassword: password });
  const { secret } = await act(staff, factor, { password });
  await act(staff, `${factor}/confirm`, { code: totpCode(secret) });
  await act(staff, `${factor}/backup-codes`, { password });
  await act(staff, `${factor}/disable`, { password });
  const begun = await act(owner, factor, { password: owner.login.password });
  await act(owner, `${factor}/confirm`, { code: totpCode(begun.secret) });
  await act(operator, `POST /api/operator/users/${owner.login.userId}/two-factor/reset`, {});

  const inviter = await signInAs(service, 'owner', { restaurant });
  const invitation = { email: `${randomUUID()}@example.com`, name: 'New', role: 'staff' };
  const { invitationLink, member } = await act(inviter, 'POST /api/team', invitation);
  const token = String(invitationLink).split('#')[1] ?? '';
  await act(openBrowser(service.address), 'POST /api/account-link/password', { token, password });
  await act(inviter, `PATCH /api/team/${member.userId}`, { isDisabled: true });
  await act(inviter, `PATCH /api/team/${member.userId}`, { isDisabled: false });
  expect(found).toEqual([]);
});

test('setup: the audit entry carries the client’s address', async () => {
  const fresh = await startService({ roles: ['api'], config });
  try {
    const code = setUpCode(fresh.app.vault);
    const body = { code, email: 'first@example.com', name: 'First', password: 'five words make it long' };
    expect(await tryAs(openBrowser(fresh.address), 'POST /api/set-up', { body, of: fresh })).toMatchObject({
      found: [],
    });
  } finally {
    await fresh.stop();
  }
});

test('every action that a request can write is tested', () => {
  const actions = Object.keys(auditActionTexts).filter((action) => !LOCAL_ACTIONS.includes(action));
  expect(actions.filter((action) => !seen.has(action))).toEqual([]);
  expect(LOCAL_ACTIONS.filter((action) => seen.has(action))).toEqual([]);
});

test('control: a route that writes an entry without the address is detected', async () => {
  const route = BROKEN_ROUTES.find(({ url }) => url === '/api/broken/forgets');
  if (route === undefined) throw new Error('the broken route is gone');
  const found = await tryRoute(route, [{}]);
  expect(found.length).toBeGreaterThan(0);
  for (const finding of found) expect(finding).toMatch(/^broken\.forgets from null, not 198\.18\./);
});
