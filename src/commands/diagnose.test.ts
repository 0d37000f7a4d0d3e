// The diagnostics file has what support needs, and none of the secrets that were planted in settings, database and log.
import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signInAs } from '../../harness/service/panel-client.ts';
import { startService, type TestService } from '../../harness/service/service.ts';
import { runCommand, runJson } from '../../test/processes/command-line.ts';
import { START_LIMIT_MS } from '../../test/processes/serve.ts';
import { clearAway, makeDataDir, start } from '../../test/processes/embedded.ts';
import { createBasicCredential } from '../actions/restaurants/create-basic-credential.ts';
import { createLog } from '../runtime/log.ts';
import { migrate } from '../store/schema/migrate.ts';
import { listNodes } from '../store/upkeep/node-health.ts';

const OUTAGE = 'connect ECONNREFUSED 127.0.0.1:5433';

let folder: string;
let server: Awaited<ReturnType<typeof start>>;
let service: TestService;
let env: Record<string, string>;
let log = '';
/** Keyed by what they are. */
const secrets = new Map<string, string>();

function plant(what: string): string {
  const secret = `planted-${randomBytes(6).toString('hex')}`;
  secrets.set(what, secret);
  return secret;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-diagnose-'));
  const dataDir = await makeDataDir();
  const settings = path.join(dataDir, 'postgres', 'postgresql.auto.conf');
  await appendFile(settings, `shared_preload_libraries = 'pg_stat_statements'\n`);
  server = await start(dataDir);
  await migrate(server.url);
  const databaseUrl = new URL(server.url);
  databaseUrl.password = plant('password of the database');
  service = await startService({ databaseUrl: server.url, roles: ['api', 'deliver'] });
  env = {
    DATABASE_URL: databaseUrl.href,
    WAYBILL_MASTER_KEY: service.masterKey.toString('base64'),
    WAYBILL_DATA_DIR: dataDir,
    WAYBILL_SMTP_URL: `smtp://mailer:${plant('password of the mail server')}@mail.example.com:587`,
    WAYBILL_METRICS_TOKEN: plant('token of the metrics'),
    WAYBILL_ROUTING_URL: `https://router:${plant('password of routing')}@routes.example.com/osrm?key=${plant('key of routing')}`,
    WAYBILL_MAP_STYLE_URL: `https://tiles.example.com/style.json?key=${plant('key of the map')}`,
  };
  secrets.set('master key', env['WAYBILL_MASTER_KEY'] ?? '');
  secrets.set('master key in hexadecimal', service.masterKey.toString('hex'));
  await useSecrets();
  await vi.waitUntil(async () => (await listNodes(service.app.db)).length === 1, { timeout: 20_000 });
  await writeLog(path.join(dataDir, 'waybill.log'));
}, START_LIMIT_MS);
afterAll(async () => {
  await service.stop();
  await server.stop();
  await clearAway({ keepPrepared: false });
  await rm(folder, { recursive: true, force: true });
});

/** Credentials of every kind, and statements with secrets in their text. */
async function useSecrets(): Promise<void> {
  const { app } = service;
  const restaurant = await service.addRestaurant({ autoApprove: true, hasSecret: true });
  secrets.set('API key', restaurant.apiKey).set('webhook secret', restaurant.secret ?? '');
  const by = { restaurantId: restaurant.id, actor: { name: 'test' } };
  const basic = await createBasicCredential(app, by);
  if (basic.kind === 'refused') throw new Error(basic.refusal.code);
  secrets.set('Basic password', basic.password);
  const { login } = await signInAs(service, 'operator');
  secrets.set('password of a user', login.password);
  const sessions = await app.db.query<{ token: string }>('select token from sessions');
  secrets.set('session', sessions[0]?.token ?? '');
  await app.db.query('create extension pg_stat_statements');
  expect((await service.post(restaurant, { orderId: 'one' })).status).toBe(201);
  await app.db.query(`create role planted password '${plant('password of a role')}'`);
  await app.db.query('drop role planted');
  await app.db.query(`select '${plant('value in a query')}' as value`);
}

/** Every secret, in each way in which an error message might contain it. */
async function writeLog(file: string): Promise<void> {
  const { error, info } = createLog((line) => (log += line));
  info({ event: 'not an error', reason: 'ordinary' });
  error({ event: 'database.connection_lost', reason: OUTAGE });
  for (const [what, secret] of secrets) {
    error({ event: 'planted', reason: `password=${secret}`, header: `Authorization: Bearer ${secret}` });
    error({ event: 'planted', url: `https://someone:${secret}@example.com/path?token=${secret}` });
    error({ event: 'planted', password: secret, nested: { apiKey: secret, list: [`"secret": "${secret}"`] } });
    error({ event: 'planted', error: new Error(`postgresql://waybill:${secret}@db/waybill: failed`), what });
  }
  // Known to this installation or of a recognizable form, so it is removed without any context.
  const bare = [...secrets].filter(([what]) => !/of a role|value in a query/.test(what));
  expect(bare.length).toBeGreaterThan(12);
  for (const [, secret] of bare) error({ event: 'planted', reason: `unexpected ${secret} here` });
  await writeFile(file, log);
}

interface Diagnostics {
  versions: Record<string, string>;
  settings: { name: string; isSet: boolean; value: string | null }[];
  database: {
    error?: string;
    server: { version: string; settings: Record<string, string> };
    migrations: string[];
    nodes: object[];
    queue: { deliveries: Record<string, number> };
    upkeep: object;
    tables: { table: string }[];
    slowStatements: { text: string; calls: number }[];
  };
  recentErrors: Record<string, unknown>[] | string;
}

async function diagnose(name: string, changed: Record<string, string> = {}, args: string[] = []) {
  const file = path.join(folder, name);
  expect(await runJson({ ...env, ...changed }, ['diagnose', file, ...args])).toEqual({ file });
  const text = await readFile(file, 'utf8');
  return { file, text, content: JSON.parse(text) as Diagnostics };
}

test('the file contains no planted secret in any form', async () => {
  const { text } = await diagnose('secrets.json');
  expect(secrets.size).toBeGreaterThan(12);
  const forms = (secret: string) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('hex'),
  ];
  const leaked = [...secrets].filter(([, secret]) => forms(secret).some((form) => text.includes(form)));
  expect(leaked).toEqual([]);
  expect(text).not.toMatch(/create role/i);
  // Control: each of them was in the log, and statements with some of them were in the statistics.
  expect([...secrets].filter(([, secret]) => !log.includes(secret))).toEqual([]);
  const statements = await service.app.db.query<{ query: string }>('select query from pg_stat_statements');
  expect(statements.some(({ query }) => query.includes(secrets.get('password of a role') ?? '-'))).toBe(true);
});

test('the file contains versions, settings, health, queue, slow statements and recent errors', async () => {
  const { content } = await diagnose('content.json');
  const { versions, settings, database, recentErrors } = content;
  expect(versions).toMatchObject({ waybill: '0.1.0', node: process.version });
  expect(settings).toContainEqual({ name: 'WAYBILL_SMTP_URL', isSet: true, value: null });
  expect(settings).toContainEqual({ name: 'WAYBILL_KEEP_HISTORY_DAYS', isSet: true, value: '90' });
  expect(database.server).toMatchObject({ version: expect.stringMatching(/^\d+/), settings: { fsync: 'on' } });
  expect(database.migrations.at(-1)).toBe(versions['lastMigration']);
  expect(database.nodes).toHaveLength(1);
  expect(database.queue).toMatchObject({ liveOrders: [{ state: 'VALIDATED', count: 1 }], deliveries: { held: 1 } });
  expect(database.upkeep).toMatchObject({ mails: { queued: 0 }, supportCases: { open: 0 } });
  expect(database.tables.map(({ table }) => table)).toContain('orders');
  expect(database.slowStatements.some(({ text }) => text.includes('insert into orders'))).toBe(true);
  expect(recentErrors).toContainEqual(expect.objectContaining({ event: 'database.connection_lost', reason: OUTAGE }));
  expect(recentErrors).not.toContainEqual(expect.objectContaining({ event: 'not an error' }));
});

test('without database, extension or log file the rest is written, with the reason', async () => {
  const away = { DATABASE_URL: 'postgresql://waybill@127.0.0.1:1/waybill', WAYBILL_DATA_DIR: folder };
  const { content } = await diagnose('away.json', away);
  expect(JSON.stringify(content.database)).toContain('ECONNREFUSED');
  expect(content.recentErrors).toMatch(/^There is no log file\./);
  expect(content.settings.length).toBeGreaterThan(20);
  await service.app.db.query('drop extension pg_stat_statements');
  const { content: without } = await diagnose('without.json');
  expect(without.database.slowStatements).toMatch(/is not installed/);
  await service.app.db.query('create extension pg_stat_statements');
});

test('--log reads another log file', async () => {
  const file = path.join(folder, 'other.log');
  await writeFile(file, 'Some other line\n{"level":40,"time":0,"event":"proxy.not_trusted"}\n{"level":50,"ti');
  const { content } = await diagnose('log.json', {}, ['--log', file]);
  expect(content.recentErrors).toEqual([{ at: '1970-01-01T00:00:00.000Z', level: 40, event: 'proxy.not_trusted' }]);
});

test('only its owner can read the file, and an existing file is not overwritten', async () => {
  const { file, text } = await diagnose('mode.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await runCommand(env, ['diagnose', file])).toMatchObject({
    code: 1,
    stderr: `${file} already exists. Choose another name.\n`,
  });
  expect(await readFile(file, 'utf8')).toBe(text);
});
