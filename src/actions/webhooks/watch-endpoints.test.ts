// Time-based decisions about failing endpoints; test/flows/webhooks/failing-endpoint.test.ts has those with traffic.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';
import { HOUR_MS, MINUTE_MS, type Instant } from '../../domain/time.ts';
import { createPlatform } from '../../platform.ts';
import { recordEndpointHealth } from '../../store/webhooks/attempts.ts';
import { DatabaseUnavailable, openDatabase, type Database } from '../../store/database/database.ts';
import { listEndpoints } from '../../store/webhooks/endpoints.ts';
import { createVault, SEALED_IN } from '../../secrets/vault.ts';
import { addRestaurant } from '../restaurants/add-restaurant.ts';
import type { AdministrationDeps } from '../administration.ts';
import { resolveSupportCase } from './support/resolve-support-case.ts';
import { setWebhookUrls } from './set-webhook-urls.ts';
import { createSetAside } from '../upkeep/set-aside.ts';
import { switchIntegration } from '../restaurants/switch-integration.ts';
import { watchEndpoints, type WatchDeps } from './watch-endpoints.ts';

const OPERATOR = 'operator@example.com';
const clock = createSimulatedClock('2026-03-01T09:00:00Z');
let database: TestDatabase;
let deps: AdministrationDeps & WatchDeps;
let by: { actor: { name: string }; restaurantId: string };
let id: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const vault = createVault(randomBytes(32), randomBytes);
  const db = openDatabase({ url: database.url });
  const mail = { operatorEmail: OPERATOR, publicUrl: 'https://waybill.example.com' };
  const platform = createPlatform(undefined, clock);
  deps = { ...platform, ...mail, db, vault, setAside: createSetAside({ ...platform, db }) };
});

afterAll(async () => {
  await deps.db.close();
  await database.drop();
});

beforeEach(async () => {
  // Remove failures left by earlier tests.
  await deps.db.query('delete from support_cases');
  await deps.db.query('delete from failing_spells');
  await deps.db.query('delete from mail_outbox');
  await deps.db.query('update endpoints set failing_since = null, last_success_at = null');
  await add('Kebap House', 'kitchen@example.com');
});

async function add(name: string, contactEmail: string | null): Promise<void> {
  const actor = { name: 'tester' };
  const restaurantId = `R-${randomBytes(4).toString('hex')}`;
  const added = await addRestaurant(deps, { actor, restaurantId, settings: { name, contactEmail } });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  id = added.restaurant.id;
  by = { actor, restaurantId: id };
  await setUrl('https://old.example.com/hook?token=secret');
}

async function setUrl(status: string | null): Promise<void> {
  const set = await setWebhookUrls(deps, { ...by, urls: { status } });
  expect(set.kind).toBe('set');
}

async function recordHealth(news: { success?: Instant; failure?: Instant }): Promise<void> {
  await recordEndpointHealth(deps.db, [
    {
      restaurantId: id,
      endpoint: 'status',
      lastSuccessAt: news.success ?? null,
      lastFailureAt: news.failure ?? null,
      lastError: news.failure === undefined ? null : 'The receiver answered 503',
    },
  ]);
}

const fail = () => recordHealth({ failure: clock.now() });
const succeed = () => recordHealth({ success: clock.now() });

async function pass(ms: number): Promise<void> {
  clock.moveBy(ms);
  await watchEndpoints(deps);
}

interface Mail {
  toAddress: string;
  subject: string;
  body: string;
}

async function listMails(db: Database = deps.db): Promise<Mail[]> {
  const rows = await db.query<Mail & { id: string; sealedBody: Buffer }>(
    'select id, to_address, subject, sealed_body from mail_outbox order by created_at, to_address',
  );
  return rows.map(({ id, toAddress, subject, sealedBody }) => ({
    toAddress,
    subject,
    body: deps.vault.open(sealedBody, SEALED_IN.mailBody(id)),
  }));
}

async function listSubjects(): Promise<string[]> {
  return (await listMails()).map(({ subject }) => subject.replace(/ to .*?\)/, ''));
}

function listCases(): Promise<{ id: string; state: string; resolution: string | null }[]> {
  return deps.db.query('select id, state, resolution from support_cases order by opened_at');
}

test('the mail says what fails since when, the last error and what to do, without the URL’s token', async () => {
  await fail();
  await pass(15 * MINUTE_MS);
  const [mail] = await listMails();
  expect(mail?.toAddress).toBe('kitchen@example.com');
  for (const part of [
    'Status Update Webhook URL of Kebap House',
    '2026-03-01 09:00:00 (UTC+00:00)',
    'The receiver answered 503',
    'https://old.example.com\n',
    '0 webhooks',
    'What to do',
    'https://waybill.example.com',
  ]) {
    expect(mail?.body).toContain(part);
  }
  expect(mail?.body).not.toContain('secret');
});

test('without a contact email the owners are notified, and without owners the operator', async () => {
  await add('Owned', null);
  const addOwner = (email: string, disabledAt: string | null) =>
    deps.db.query(
      `insert into users (id, email, role, restaurant_id, created_at, disabled_at)
       values ($1, $2, 'owner', $3, now(), $4)`,
      [deps.newId(), email, id, disabledAt],
    );
  await addOwner('owner-a@example.com', null);
  await addOwner('owner-b@example.com', null);
  await addOwner('gone@example.com', '2026-01-01T00:00:00Z');
  await fail();
  await pass(15 * MINUTE_MS);
  await add('Nobody', null);
  await fail();
  await pass(15 * MINUTE_MS);
  const mails = await listMails();
  expect(mails.map((mail) => mail.toAddress)).toEqual(['owner-a@example.com', 'owner-b@example.com', OPERATOR]);
  expect(mails[2]?.subject).toContain('the restaurant has no email address');
});

test('after a full day of downtime the service notifies the restaurant and the operator', async () => {
  await fail();
  await pass(30 * HOUR_MS);
  expect(await listSubjects()).toEqual(['Webhooks are failing', 'Support case: webhooks have failed for 24 hours']);
});

test('a new URL neither ends an outage nor starts one; its first success ends it', async () => {
  await fail();
  await pass(16 * MINUTE_MS);
  await setUrl('https://new.example.com/hook');
  // The new URL has not failed yet, so no one is notified, however long the old one had been failing.
  await pass(25 * HOUR_MS);
  expect(await listCases()).toEqual([]);
  await fail();
  await pass(1);
  expect(await listCases()).toMatchObject([{ state: 'open' }]);
  await pass(HOUR_MS);
  await succeed();
  await pass(1);
  expect(await listSubjects()).toEqual([
    'Webhooks are failing',
    'Support case: webhooks have failed for 24 hours',
    'Webhooks work again',
    'Support case closed: webhooks work again',
  ]);
  expect(await listCases()).toMatchObject([{ state: 'resolved', resolution: 'recovered' }]);
});

test.each([
  ['removing the URL', () => setUrl(null), () => setUrl('https://old.example.com/hook')],
  [
    'switching the integration off',
    () => switchIntegration(deps, { ...by, enabled: false }),
    () => switchIntegration(deps, { ...by, enabled: true }),
  ],
])('%s ends the outage and its case without a mail; a later outage starts fresh', async (_, off, on) => {
  await fail();
  await pass(24 * HOUR_MS);
  expect(await listCases()).toMatchObject([{ state: 'open' }]);
  await off();
  await pass(1);
  expect(await listCases()).toMatchObject([{ state: 'resolved', resolution: 'switched_off' }]);
  expect(await listEndpoints(deps.db, id)).toContainEqual(
    expect.objectContaining({ kind: 'status', failingSince: null }),
  );
  await on();
  await pass(HOUR_MS);
  expect(await listSubjects()).toHaveLength(2);
  await fail();
  await pass(15 * MINUTE_MS - 1);
  expect(await listSubjects()).toHaveLength(2);
  await pass(1);
  expect((await listSubjects()).slice(2)).toEqual(['Webhooks are failing']);
});

test('a case resolved by the operator is not reopened by the same outage', async () => {
  await fail();
  await pass(24 * HOUR_MS);
  const [supportCase] = await listCases();
  await resolveSupportCase(deps, { caseId: supportCase?.id ?? '', scope: 'everything', actor: { name: 'operator' } });
  await pass(72 * HOUR_MS);
  expect(await listCases()).toMatchObject([{ state: 'resolved', resolution: 'by_operator' }]);
  await succeed();
  await pass(1);
  expect(await listCases()).toMatchObject([{ state: 'resolved', resolution: 'by_operator' }]);
  expect(await listSubjects()).toHaveLength(4);
});

test('an endpoint that recovered and failed again between checks is reported as both', async () => {
  await fail();
  await pass(20 * MINUTE_MS);
  clock.moveBy(1_000);
  await succeed();
  clock.moveBy(1_000);
  await fail();
  await pass(1_000);
  const mails = await listMails();
  expect(mails).toHaveLength(2);
  expect(mails[1]?.body).toContain('It has been failing again since 2026-');
  await pass(15 * MINUTE_MS);
  expect(await listSubjects()).toEqual(['Webhooks are failing', 'Webhooks work again', 'Webhooks are failing']);
});

test('a success recorded only in the log, because a node died, prevents a failure mail', async () => {
  await fail();
  clock.moveBy(MINUTE_MS);
  const at = new Date(clock.now()).toISOString();
  await deps.db.query(
    `insert into attempts (event_id, restaurant_id, endpoint, number, outcome, started_at, ended_at)
     values ($1, $2, 'status', 2, 'delivered', $3, $3)`,
    [deps.newId(), id, at],
  );
  await pass(48 * HOUR_MS);
  await pass(1);
  expect(await listMails()).toEqual([]);
  expect(await listEndpoints(deps.db, id)).toContainEqual(
    expect.objectContaining({ kind: 'status', failingSince: null, lastSuccessAt: Date.parse(at) }),
  );
});

test('a node that dies in the middle of a step leaves no effect, and the next round performs it once', async () => {
  await fail();
  clock.moveBy(25 * HOUR_MS);
  // Ids are created for the outage, its mail, the case and the case's mail: crash before each of them.
  for (const survived of [0, 1, 2, 3]) {
    let made = 0;
    const newId = (): string => {
      made += 1;
      if (made > survived) throw new DatabaseUnavailable('killed');
      return deps.newId();
    };
    await expect(watchEndpoints({ ...deps, newId })).rejects.toThrow('killed');
    expect(await listMails()).toEqual([]);
    expect(await listCases()).toEqual([]);
  }
  await Promise.all(Array.from({ length: 5 }, () => watchEndpoints(deps)));
  await watchEndpoints(deps);
  expect(await listSubjects()).toEqual(['Webhooks are failing', 'Support case: webhooks have failed for 24 hours']);
  expect(await listCases()).toHaveLength(1);
});

test('a node with an outdated read does not notify again after another node did', async () => {
  await fail();
  clock.moveBy(25 * HOUR_MS);
  const late: Database = {
    ...deps.db,
    query: async (statement, values) => {
      const rows = await deps.db.query<never>(statement, values);
      await watchEndpoints(deps);
      return rows;
    },
  };
  expect(await watchEndpoints({ ...deps, db: late })).toBe(0);
  expect(await listSubjects()).toHaveLength(2);
});

test('a restaurant name cannot inject a header or a line into the mail', async () => {
  await deps.db.query(`update restaurants set name = $2 where id = $1`, [
    id,
    'Evil\r\nBcc: victim@example.com\r\n\r\nClick here\u2028now',
  ]);
  await fail();
  await pass(15 * MINUTE_MS);
  const [mail] = await listMails();
  expect(mail?.subject).not.toMatch(/[\p{Cc}\p{Zl}]/u);
  expect(mail?.body).not.toMatch(/^(Bcc|Click)/m);
});
