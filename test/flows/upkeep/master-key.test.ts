// Master key rotation with a crash at every step: at any time, one of the two keys opens every sealed value.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSecondFactorReseal } from '../../../src/accounts/second-factor-seal.ts';
import { adoptInstallation, checkMasterKey } from '../../../src/actions/upkeep/check-master-key.ts';
import { rotateMasterKey } from '../../../src/actions/upkeep/rotate-master-key.ts';
import { masterKeyCommands } from '../../../src/commands/master-key.ts';
import type { Outcome } from '../../../src/commands/terminal/command.ts';
import { readConfig } from '../../../src/settings/config.ts';
import { createPlatform } from '../../../src/platform.ts';
import { openDatabase, type Database } from '../../../src/store/database/database.ts';
import { listEndpointTargets, openSecret } from '../../../src/store/webhooks/endpoints.ts';
import { findInstallation } from '../../../src/store/upkeep/installation.ts';
import { claimDueMail, enqueueMail } from '../../../src/store/people/mail-outbox.ts';
import { createVault, VaultError } from '../../../src/secrets/vault.ts';
import { runCommand } from '../../processes/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { openBrowser, signInAs, totpCode, type Login } from '../../../harness/service/panel-client.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant } from '../../../harness/service/service.ts';

const OLD = randomBytes(32);
const NEW = randomBytes(32);

let database: TestDatabase;
let db: Database;
let folder: string;
let receiver: Receiver;
let restaurant: TestRestaurant;
let login: Login;
let totpSecret: string;

/** An installation from an earlier version, whose sealed values are not bound yet. */
beforeEach(async () => {
  receiver = await startReceiver();
  database = await createTestDatabase();
  db = openDatabase({ url: database.url });
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-rotation-'));
  await writeFile(path.join(folder, 'master.key'), `${OLD.toString('base64')}\n`, { mode: 0o600 });
  const vault = createVault(OLD, randomBytes);
  vault.adopt({ isBound: false, credentialKey: null });
  await checkMasterKey(db, vault);
  await db.query('update installation set seals_bound = null');
  const service = await startService({ databaseUrl: database.url, masterKey: OLD, roles: ['api'] });
  restaurant = await service.addRestaurant({ receiver, hasSecret: true, autoApprove: true });
  const owner = await signInAs(service, 'owner', { restaurant });
  ({ login } = owner);
  const begun = await owner.send('POST', '/api/session/two-factor', { password: login.password });
  totpSecret = begun.body.secret;
  await owner.send('POST', '/api/session/two-factor/confirm', { code: totpCode(totpSecret) });
  const mail = { id: service.app.newId(), to: 'ada@example.com', subject: 'Hello', text: 'A link', now: Date.now() };
  await enqueueMail(service.app.db, service.app.vault, mail);
  await service.stop();
  await db.query('delete from nodes');
});
afterEach(async () => {
  await db.close();
  await database.drop();
  await receiver.close();
  await rm(folder, { recursive: true });
});

/** Whether the key opens everything. Sealed values that open with both keys or with neither fail the test. */
async function opens(key: Buffer): Promise<boolean> {
  const vault = createVault(key, randomBytes);
  const installation = await findInstallation(db);
  if (installation === undefined) throw new Error('there is no installation');
  const isRight = adoptInstallation(vault, installation);
  const attempt = (work: () => unknown): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      if (error instanceof VaultError) return false;
      throw error;
    }
  };
  const [target] = await listEndpointTargets(db, [restaurant.id]);
  const found = [isRight, attempt(() => target && openSecret(vault, target))];
  const claim = { now: Date.now() + 1_000, leaseMs: -2_000, limit: 10 };
  found.push(
    await claimDueMail(db, vault, claim).then(
      (mails) => mails.length === 1 && mails.every(({ text }) => text !== null),
    ),
  );
  expect(new Set(found).size).toBe(1);
  return isRight;
}

async function formatOfSecret(): Promise<number | undefined> {
  const [row] = await db.query<{ format: number }>('select get_byte(sealed_secret, 0) as format from webhook_secrets');
  return row?.format;
}

function rotate(through: Database): ReturnType<typeof rotateMasterKey> {
  const [from, to] = [createVault(OLD, randomBytes), createVault(NEW, randomBytes)];
  const resealSecondFactor = createSecondFactorReseal({ from, to });
  return rotateMasterKey(
    { ...createPlatform(), db: through },
    { from, to, actor: { name: 'test' }, resealSecondFactor },
  );
}

/** Fails at the given statement of a transaction, as if the connection had been lost. */
function breakingAt(statement: number): Database {
  let count = 0;
  return {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          query: (text, values) => {
            count += 1;
            if (count === statement) throw new Error('crash');
            return tx.query(text, values);
          },
        }),
      ),
  };
}

/** What people and integrators notice: their credentials, signatures and second factors still work. */
async function expectServed(masterKey: Buffer): Promise<void> {
  const service = await startService({ databaseUrl: database.url, masterKey, roles: ['api', 'deliver'] });
  try {
    const placed = await service.post(restaurant, { orderId: randomBytes(4).toString('hex') });
    expect(placed.status).toBe(201);
    await receiver.waitFor((requests) => requests.length > 0);
    const { secret = '' } = restaurant;
    const browser = openBrowser(service.address);
    expect((await browser.signIn(login)).body).toEqual({ next: 'second-factor' });
    const code = totpCode(totpSecret);
    expect((await browser.send('POST', '/api/session/second-factor', { code })).status).toBe(200);
    const [target] = await listEndpointTargets(service.app.db, [restaurant.id]);
    expect(target && openSecret(service.app.vault, target)).toBe(secret);
  } finally {
    await service.stop();
  }
}

test('after a crash at any statement the old key still decrypts everything; after a rerun only the new one does', async () => {
  expect([await opens(OLD), await opens(NEW)]).toEqual([true, false]);
  // Not bound yet, because nodes of the previous version have to open it.
  expect(await formatOfSecret()).toBe(1);
  let broken = 0;
  for (let statement = 1; ; statement += 1) {
    const result = await rotate(breakingAt(statement)).catch((error: Error) => error.message);
    if (result !== 'crash') {
      expect(result).toEqual({ kind: 'rotated', secrets: 2, secondFactors: 1, unreadable: [] });
      break;
    }
    broken += 1;
    expect([await opens(OLD), await opens(NEW)]).toEqual([true, false]);
  }
  expect(broken).toBeGreaterThan(10);
  expect([await opens(OLD), await opens(NEW)]).toEqual([false, true]);
  expect(await rotate(db)).toEqual({ kind: 'already' });
  expect(await formatOfSecret()).toBe(2);
  await expectServed(NEW);
});

/** With the key in the data folder, as with an embedded server; this test does not need the server to be embedded. */
async function runInFolder(): Promise<Outcome> {
  const reading = readConfig({ WAYBILL_DATA_DIR: folder });
  const parsed = masterKeyCommands[0]?.parse([]);
  if (!reading.ok || parsed?.kind !== 'ready') throw new Error('the command cannot be run');
  return parsed.run({
    config: { ...reading.config, databaseUrl: database.url },
    platform: createPlatform(),
    actor: { name: 'test' },
    report: () => undefined,
    withSession: () => Promise.reject(new Error('the old key may not be in force any more')),
  });
}
const keyInFolder = async () => Buffer.from(await readFile(path.join(folder, 'master.key'), 'utf8'), 'base64');

test('the key file in the data folder is replaced once everything is encrypted with the new key', async () => {
  // Left by a run that ended before it had sealed anything; its key is used.
  await writeFile(path.join(folder, 'master.key.next'), `${NEW.toString('base64')}\n`, { mode: 0o600 });
  expect(await runInFolder()).toMatchObject({ kind: 'done', value: { secrets: 2, secondFactors: 1 } });
  expect(await keyInFolder()).toEqual(NEW);
  expect(await readdir(folder)).toEqual(['master.key']);
  expect([await opens(OLD), await opens(NEW)]).toEqual([false, true]);
  // A second rotation, with a newly generated key.
  expect(await runInFolder()).toMatchObject({ kind: 'done' });
  expect(await opens(await keyInFolder())).toBe(true);
  expect(await opens(NEW)).toBe(false);
  await expectServed(await keyInFolder());
});

test('a crash between the commit and the new key’s file is repaired by the next run', async () => {
  await writeFile(path.join(folder, 'master.key.next'), `${NEW.toString('base64')}\n`, { mode: 0o600 });
  expect(await rotate(db)).toMatchObject({ kind: 'rotated' });
  expect(await keyInFolder()).toEqual(OLD);
  expect(await runInFolder()).toMatchObject({ kind: 'done', value: {} });
  expect(await keyInFolder()).toEqual(NEW);
  expect(await readdir(folder)).toEqual(['master.key']);
});

const env = () => ({ DATABASE_URL: database.url, WAYBILL_MASTER_KEY: OLD.toString('base64') });

test('a command killed in the middle leaves the old key in force, and the next run finishes', async () => {
  const file = path.join(folder, 'new.key');
  await writeFile(file, NEW.toString('base64'));
  const args = ['master-key', 'rotate', '--new-key-file', file];
  const blocker = new Client({ connectionString: database.url });
  blocker.on('error', () => undefined);
  await blocker.connect();
  await blocker.query('begin; lock table two_factors in exclusive mode');
  const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
  const command = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env() }, stdio: 'ignore' });
  const ended = once(command, 'exit');
  const countWaiting = async () =>
    (await db.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .length;
  await expect.poll(countWaiting, { timeout: 20_000, interval: 50 }).toBe(1);
  command.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
  await blocker.end();
  await expect.poll(countWaiting, { timeout: 5_000 }).toBe(0);
  expect([await opens(OLD), await opens(NEW)]).toEqual([true, false]);
  for (const headline of ['The master key was rotated.', 'The new master key is already in use.']) {
    expect(await runCommand(env(), args)).toMatchObject({ code: 0, stdout: expect.stringContaining(headline) });
  }
  expect([await opens(OLD), await opens(NEW)]).toEqual([false, true]);
  const list = await runCommand(env(), ['restaurant', 'list']);
  expect(list).toMatchObject({ code: 1, stderr: expect.stringContaining('run master-key rotate again') });
  // Without the file, the command cannot know which key to use.
  expect((await runCommand(env(), ['master-key', 'rotate'])).code).toBe(2);
});

test('rotation is refused while a service runs, and with a key that is not the one in force', async () => {
  const service = await startService({ databaseUrl: database.url, masterKey: OLD, roles: ['api', 'deliver'] });
  try {
    await expect.poll(async () => (await db.query('select from nodes')).length).toBeGreaterThan(0);
    expect(await rotate(db)).toMatchObject({ kind: 'refused', refusal: { code: 'UPKEEP_003' } });
  } finally {
    await service.stop();
  }
  await writeFile(path.join(folder, 'master.key'), randomBytes(32).toString('base64'));
  const wrong = await runInFolder();
  expect(wrong).toEqual({ kind: 'failed', message: expect.stringContaining('uses a different master key') });
  expect(await opens(OLD)).toBe(true);
});

test('a secret that no key decrypts is named and does not keep others from getting the new key', async () => {
  await db.query(
    `insert into mail_outbox (id, to_address, subject, sealed_body, created_at, next_attempt_at)
     values (gen_random_uuid(), 'ada@example.com', 'Damaged', '\\x0102', now(), now() + interval '1 day')`,
  );
  await db.query(`update two_factors set backup_codes = 'damaged'`);
  const rotated = await rotate(db);
  expect(rotated).toMatchObject({ kind: 'rotated', secrets: 2, secondFactors: 0 });
  expect(rotated.kind === 'rotated' && rotated.unreadable).toEqual([
    expect.stringMatching(/^mail_outbox /),
    expect.stringMatching(/^two_factors /),
  ]);
  expect([await opens(OLD), await opens(NEW)]).toEqual([false, true]);
});
