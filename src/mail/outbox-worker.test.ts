// Sends mail from the outbox through a real SMTP server, on a clock that the test moves.
import { randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueServerCertificate } from '../robots/certificates.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/service/database.ts';
import { startMailServer, type MailServer, type MailServerOptions } from '../../test/servers/mail-server.ts';
import { getTestAuthority, listenOnLoopback } from '../../harness/receivers/receiver.ts';
import { createSimulatedClock, type SimulatedClock } from '../../harness/clocks/simulated.ts';
import { createLog } from '../runtime/log.ts';
import { createPlatform } from '../platform.ts';
import { DatabaseUnavailable, openDatabase } from '../store/database/database.ts';
import { enqueueMail } from '../store/people/mail-outbox.ts';
import { createVault } from '../secrets/vault.ts';
import { createOutboxWorker, keepOutbox, sendDueMail, type OutboxDeps } from './outbox-worker.ts';
import { createMailer } from './smtp.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FROM = 'Waybill <waybill@example.com>';
const OPERATOR = 'operator@example.com';
let database: TestDatabase;
let deps: OutboxDeps;
let clock: SimulatedClock;
let logged: { event: string; queued?: number; count?: number }[];
const servers: { close(): Promise<unknown> }[] = [];

beforeEach(async () => {
  clock = createSimulatedClock('2026-03-01T09:00:00Z');
  logged = [];
  const log = createLog((line) => void logged.push(JSON.parse(line)));
  database = await createTestDatabase();
  const db = openDatabase({ url: database.url });
  const mail = { operatorEmail: OPERATOR, publicUrl: 'https://waybill.example.com', mailer: null };
  deps = { ...createPlatform(log, clock), db, vault: createVault(randomBytes(32), randomBytes), ...mail };
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await deps.db.close();
  await database.drop();
});

async function startServer(options: MailServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  servers.push(server);
  return server;
}

function through(url: string, deadlineMs?: number): OutboxDeps {
  const mailer = createMailer({ smtpUrl: url, from: FROM, ...(deadlineMs !== undefined && { deadlineMs }) });
  return { ...deps, mailer };
}

async function enqueue(mail: { to?: string; subject?: string; text?: string } = {}): Promise<string> {
  const id = deps.newId();
  const { to = 'kitchen@example.com', subject = 'Webhooks are failing', text = 'Since noon.\n' } = mail;
  await enqueueMail(deps.db, deps.vault, { id, to, subject, text, now: clock.now() });
  return id;
}

test('the text of a mail is sealed while it waits and erased once it is sent', async () => {
  const server = await startServer();
  const id = await enqueue({ text: 'https://waybill.example.com/invitation#secret-token\n' });
  const dump = async () => JSON.stringify(await deps.db.query('select m::text as row from mail_outbox m'));
  expect(await dump()).not.toContain(Buffer.from('secret-token').toString('hex'));
  expect(await dump()).not.toContain('secret-token');
  expect(await sendDueMail(through(server.url))).toBe(1);
  expect(server.mails[0]?.raw).toContain('secret-token');
  expect((await getRow(id)).sealedBody).toBeNull();
});

interface OutboxRow {
  sealedBody: Buffer | null;
  toAddress: string;
  attempts: number;
  nextAttemptAt: number;
  sentAt: number | null;
  refusedAt: number | null;
  lastError: string | null;
}

async function getRow(id: string): Promise<OutboxRow> {
  const [row] = await deps.db.query<OutboxRow>('select * from mail_outbox where id = $1', [id]);
  if (row === undefined) throw new Error('There is no such mail');
  return row;
}

test('a mail that cannot be unsealed waits for its retry with an alarm, and the rest of its batch is sent', async () => {
  const server = await startServer();
  const broken = await enqueue({ to: 'broken@example.com' });
  await deps.db.query(`update mail_outbox set sealed_body = '\\x00' where id = $1`, [broken]);
  const others = [await enqueue(), await enqueue()];
  expect(await sendDueMail(through(server.url))).toBe(2);
  for (const id of others) expect((await getRow(id)).sentAt).not.toBeNull();
  const reason = 'The text of this mail cannot be read.';
  expect(await getRow(broken)).toMatchObject({ sentAt: null, refusedAt: null, attempts: 1, lastError: reason });
  expect((await getRow(broken)).nextAttemptAt).toBe(clock.now() + MINUTE);
  expect(logged.filter(({ event }) => event === 'mail.broken')).toHaveLength(1);
});

test('a mail whose result cannot be written does not block other mails and is not resent at once', async () => {
  const server = await startServer();
  const broken = await enqueue({ to: 'broken@example.com' });
  await deps.db.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'this cannot be written'; end $$`);
  await deps.db.query(
    `create trigger refuse before update on mail_outbox for each row
     when (new.sent_at is not null and old.id = '${broken}') execute function refuse()`,
  );
  const others = await Promise.all(Array.from({ length: 6 }, () => enqueue()));
  expect(await sendDueMail(through(server.url))).toBe(6);
  for (const id of others) expect((await getRow(id)).sentAt).not.toBeNull();
  expect(await getRow(broken)).toMatchObject({ attempts: 1, lastError: 'this cannot be written' });
  expect((await getRow(broken)).nextAttemptAt).toBe(clock.now() + MINUTE);
});

test('a mail arrives complete, with its sender, its date and a permanent unique id', async () => {
  const server = await startServer();
  const id = await enqueue({ subject: 'Kebap Köşesi fails', text: 'Since noon.\n.\nÇay\n' });
  clock.moveBy(MINUTE);
  expect(await sendDueMail(through(server.url))).toBe(1);
  const [mail] = server.mails;
  expect(mail).toMatchObject({ to: ['kitchen@example.com'], from: 'waybill@example.com' });
  expect(mail?.headers.get('message-id')).toBe(`<${id}@example.com>`);
  expect(mail?.headers.get('from')).toBe(FROM);
  expect(mail?.headers.get('date')).toBe('Sun, 01 Mar 2026 09:00:00 +0000');
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
  expect(mail?.headers.get('subject')).toMatch(/^=\?UTF-8\?/i);
  expect(mail?.raw).toContain('=C3=87ay');
  expect((await getRow(id)).sentAt).toBe(clock.now());
  expect(await sendDueMail(through(server.url))).toBe(0);
  expect(server.mails).toHaveLength(1);
});

test('many nodes working concurrently send each of many mails once', async () => {
  const server = await startServer();
  for (let count = 0; count < 23; count += 1) await enqueue();
  const sent = await Promise.all([1, 2, 3].map(() => sendDueMail(through(server.url))));
  expect(sent.reduce((sum, count) => sum + count)).toBe(23);
  expect(new Set(server.mails.map((mail) => mail.headers.get('message-id'))).size).toBe(23);
  expect(server.mails).toHaveLength(23);
});

test('a rejected recipient is not retried, and the operator is notified once', async () => {
  const refuse = (address: string) =>
    address === 'gone@example.com' ? { code: 550, text: 'No such user' } : undefined;
  const server = await startServer({ refuse });
  const id = await enqueue({ to: 'gone@example.com', subject: 'Your webhooks' });
  await sendDueMail(through(server.url));
  expect((await getRow(id)).refusedAt).not.toBe(null);
  clock.moveBy(DAY);
  await sendDueMail(through(server.url));
  expect(server.mails.map((mail) => mail.to)).toEqual([[OPERATOR]]);
  expect(server.mails[0]?.raw).toContain('gone@example.com');
  expect(server.mails[0]?.raw).toContain('No such user');
  expect(server.mails[0]?.raw).toContain('Your webhooks');
});

test('an operator whose own address is rejected gets no mail about it', async () => {
  const server = await startServer({ refuse: () => ({ code: 550, text: 'No such user' }) });
  await enqueue({ to: OPERATOR });
  await sendDueMail(through(server.url));
  expect(await deps.db.query('select from mail_outbox')).toHaveLength(1);
});

test('a temporarily rejected recipient is retried', async () => {
  let isFull = true;
  const server = await startServer({ refuse: () => (isFull ? { code: 452, text: 'Mailbox full' } : undefined) });
  const id = await enqueue();
  await sendDueMail(through(server.url));
  expect(await getRow(id)).toMatchObject({ refusedAt: null, lastError: expect.stringContaining('Mailbox full') });
  isFull = false;
  clock.moveBy(MINUTE);
  expect(await sendDueMail(through(server.url))).toBe(1);
});

test('during an outage of the server the waits double up to an hour, and the mail is sent after recovery', async () => {
  const gone = await startServer();
  const { port, url } = gone;
  await gone.close();
  servers.length = 0;
  const id = await enqueue();
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 9; attempt += 1) {
    await sendDueMail(through(url));
    const row = await getRow(id);
    expect(row.attempts).toBe(attempt);
    waits.push((row.nextAttemptAt - clock.now()) / MINUTE);
    clock.moveTo(row.nextAttemptAt - 1);
    await sendDueMail(through(url));
    expect((await getRow(id)).attempts).toBe(attempt);
    clock.moveBy(1);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  const server = await startServer({ port });
  expect(await sendDueMail(through(url))).toBe(1);
  expect(server.mails).toHaveLength(1);
  expect(await getRow(id)).toMatchObject({ lastError: null });
});

test('a server that accepts the connection and stays silent costs only the deadline, and the mail waits', async () => {
  const silent: Server = createServer((socket) => socket.on('error', () => undefined));
  const port = await listenOnLoopback(silent);
  servers.push({ close: () => new Promise((resolve) => silent.close(resolve)) });
  const id = await enqueue();
  const startedAt = performance.now();
  expect(await sendDueMail(through(`smtp://localhost:${port}`, 300))).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  expect(await getRow(id)).toMatchObject({ attempts: 1, sentAt: null, lastError: expect.stringMatching(/./) });
});

/** Greets, then sends one character at a time: the connection is never idle, but no response is ever complete. */
async function startDripping(): Promise<{ url: string; reached: Promise<Socket> }> {
  const reached = Promise.withResolvers<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 localhost\r\n');
    const timer = setInterval(() => socket.write('2'), 50);
    socket.on('close', () => clearInterval(timer));
    reached.resolve(socket);
  });
  const port = await listenOnLoopback(server);
  const closeServer = () => new Promise((resolve) => server.close(resolve));
  servers.push({ close: async () => ((await reached.promise).destroy(), closeServer()) });
  return { url: `smtp://localhost:${port}`, reached: reached.promise };
}

test('a server that drips its answer costs only the deadline, and the mail waits', async () => {
  const { url } = await startDripping();
  const id = await enqueue();
  expect(await sendDueMail(through(url, 500))).toBe(0);
  expect(await getRow(id)).toMatchObject({ sentAt: null, lastError: 'The mail server did not respond in time.' });
});

test('stopping does not wait for a mail server that drips its answer', async () => {
  const { url, reached } = await startDripping();
  const id = await enqueue();
  const stop = new AbortController();
  const running = createOutboxWorker(through(url)).run(stop.signal);
  await reached;
  stop.abort();
  await running;
  expect(await getRow(id)).toMatchObject({ attempts: 1, sentAt: null, lastError: null });
});

test('a node killed between sending and recording causes one duplicate with the same Message-ID', async () => {
  const server = await startServer();
  const id = await enqueue();
  const db = openDatabase({ url: database.url });
  // The process dies after the server has accepted the mail: the result never reaches the database.
  const killed: OutboxDeps = {
    ...through(server.url),
    db: {
      ...db,
      query: (statement, values) =>
        typeof statement === 'string' && statement.includes('sent_at = $2')
          ? Promise.reject(new DatabaseUnavailable('killed'))
          : db.query(statement, values),
    },
  };
  await expect(sendDueMail(killed)).rejects.toThrow('killed');
  await db.close();
  expect(server.mails).toHaveLength(1);
  // No other worker claims it before the lease has expired.
  expect(await sendDueMail(through(server.url))).toBe(0);
  clock.moveBy(2 * MINUTE);
  expect(await sendDueMail(through(server.url))).toBe(1);
  clock.moveBy(DAY);
  expect(await sendDueMail(through(server.url))).toBe(0);
  expect(server.mails.map((mail) => mail.headers.get('message-id'))).toEqual([
    `<${id}@example.com>`,
    `<${id}@example.com>`,
  ]);
});

test('a subject or an address cannot inject a header or a recipient', async () => {
  const server = await startServer();
  await enqueue({ subject: 'Evil\r\nBcc: victim@example.com\r\n\r\nClick' });
  await enqueue({ to: 'a@example.com, victim@example.com' });
  await enqueue({ to: 'a@example.com\r\nRCPT TO:<victim@example.com>' });
  await sendDueMail(through(server.url));
  expect(server.mails.flatMap((mail) => mail.to)).not.toContain('victim@example.com');
  expect(server.mails.length).toBeGreaterThan(0);
  const stored = await deps.db.query<{ subject: string }>('select subject from mail_outbox');
  for (const { subject } of stored) expect(subject).not.toMatch(/\p{Cc}/u);
  for (const mail of server.mails) {
    expect(mail.headers.has('bcc')).toBe(false);
    expect(mail.raw).not.toMatch(/^(Bcc|Click)/m);
  }
});

test('STARTTLS is used when offered, and an untrusted certificate is rejected', async () => {
  const certificate = await issueServerCertificate(await getTestAuthority(), { names: ['localhost'], now: Date.now() });
  const server = await startServer({ tls: { cert: certificate.chainPem, key: certificate.privateKeyPem } });
  const id = await enqueue();
  expect(await sendDueMail(through(server.url))).toBe(0);
  expect((await getRow(id)).lastError).toMatch(/certificate/);
  clock.moveBy(MINUTE);
  expect(await sendDueMail(through(`${server.url}?tls.rejectUnauthorized=false`))).toBe(1);
  expect(server.mails).toMatchObject([{ isEncrypted: true }]);
});

test('without a mail server mails wait, and the wait is logged', async () => {
  const id = await enqueue();
  expect(await sendDueMail(deps)).toBe(0);
  await keepOutbox(deps);
  expect(await getRow(id)).toMatchObject({ attempts: 0, sentAt: null });
  expect(logged).toContainEqual(expect.objectContaining({ event: 'mail.no_server', queued: 1 }));
});

test('mails are kept for 30 days, and expiry of an unsent mail is reported', async () => {
  const server = await startServer();
  const sent = await enqueue();
  await sendDueMail(through(server.url));
  const unsent = await enqueue();
  clock.moveBy(30 * DAY);
  await keepOutbox(deps);
  expect(await getRow(sent)).toBeDefined();
  clock.moveBy(1);
  await keepOutbox(deps);
  await expect(getRow(sent)).rejects.toThrow('no such mail');
  await expect(getRow(unsent)).rejects.toThrow('no such mail');
  expect(logged).toContainEqual(expect.objectContaining({ event: 'mail.expired', count: 1 }));
});
