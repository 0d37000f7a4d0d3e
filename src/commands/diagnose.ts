// One file with what support needs to know about an installation. Each part is collected on its own, because the reason
// for a ticket is often that one of them fails.
import { open, readFile, statfs, type FileHandle } from 'node:fs/promises';
import { arch, availableParallelism, freemem, loadavg, platform, release, totalmem, uptime } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { describeError } from '../domain/upkeep/set-aside.ts';
import { redactSecrets } from '../domain/upkeep/redact-secrets.ts';
import { formatUtc } from '../domain/time.ts';
import { readRecentLines } from '../runtime/recent-lines.ts';
import { findMasterKey } from '../secrets/master-key.ts';
import type { Config } from '../settings/config.ts';
import { describeSettings } from '../settings/describe-settings.ts';
import { openDatabase, type Database } from '../store/database/database.ts';
import { readMigrations } from '../store/schema/migrations.ts';
import {
  listAppliedMigrations,
  listLongTransactions,
  listSlowStatements,
  listTableSizes,
  readServerFacts,
} from '../store/upkeep/diagnostics.ts';
import { readGauges } from '../store/upkeep/gauges.ts';
import { listNodes } from '../store/upkeep/node-health.ts';
import { readUpkeepGauges } from '../store/upkeep/upkeep-gauges.ts';
import { defineCommand, type CommandContext, type Json } from './terminal/command.ts';
import { text } from './terminal/inputs.ts';
import { done } from './terminal/render.ts';
import { withExistingServer } from './terminal/session.ts';

const LOG_BYTES = 4 * 1024 * 1024;
const MAX_LOG_LINES = 200;
const WARNING_LEVEL = 40;
const PACKAGE_FILE = new URL('../../package.json', import.meta.url);
const packageFile = z.object({ version: z.string() });

const diagnose = defineCommand({
  name: 'diagnose',
  usage: '<file> [--log F]',
  summary:
    'Write a file to attach to a ticket: versions, settings without secrets, health, slow queries, queue figures and recent errors from the log F.',
  input: { file: text, log: text.optional() },
  positionals: ['file'],
  run: async ({ file, log }, context) => {
    const secrets = await listSecrets(context.config);
    const now = context.platform.clock.now();
    const diagnostics = {
      format: 1,
      madeAt: formatUtc(now),
      versions: await readVersions(),
      machine: await part(() => readMachine(context.config)),
      settings: describeSettings(context.config).map(({ name, isSet, value }) => ({ name, isSet, value })),
      warnings: [...context.config.warnings],
      database: await part(() => withExistingServer(context, (url) => readDatabase(context, url))),
      recentErrors: await part(() => readErrors(log ?? path.join(context.config.dataDir, 'waybill.log'))),
      databaseErrors: await part(() => readDatabaseErrors(path.join(context.config.dataDir, 'postgres.log'))),
    };
    const content = `${JSON.stringify(redactAll(toJson(diagnostics), secrets), null, 2)}\n`;
    if (!(await writeNewFile(file, content))) {
      return { kind: 'failed', message: `${file} already exists. Choose another name.` };
    }
    return done('Diagnostics written. Look through the file before you pass it on.', { file });
  },
});

async function part<Result>(collect: () => Promise<Result>): Promise<Result | { error: string }> {
  try {
    return await collect();
  } catch (error) {
    return { error: describeError(error) };
  }
}

async function readVersions() {
  const { version } = packageFile.parse(JSON.parse(await readFile(PACKAGE_FILE, 'utf8')));
  const migrations = await readMigrations();
  return { waybill: version, node: process.version, lastMigration: migrations.at(-1)?.name ?? null };
}

async function readMachine({ dataDir }: Config) {
  const disk = await part(async () => {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  });
  return {
    system: `${platform()} ${release()} ${arch()}`,
    cores: availableParallelism(),
    load: loadavg(),
    memory: { totalBytes: totalmem(), freeBytes: freemem() },
    uptimeSeconds: Math.round(uptime()),
    dataFolder: disk,
  };
}

async function readDatabase({ platform: { clock } }: CommandContext, url: string) {
  const db = openDatabase({ url, name: 'waybill-diagnose', maxConnections: 2 });
  try {
    const askedAtMs = clock.now();
    return {
      server: await part(async () => describeServer(await readServerFacts(db))),
      answeredInMs: clock.now() - askedAtMs,
      migrations: await part(() => listAppliedMigrations(db)),
      nodes: await part(async () =>
        (await listNodes(db)).map((node) => ({ ...node, startedAt: formatUtc(node.startedAt) })),
      ),
      queue: await part(() => readGauges(db, clock.now())),
      upkeep: await part(() => readUpkeepGauges(db, clock.now())),
      tables: await part(() => listTableSizes(db)),
      longTransactions: await part(() => listLongTransactions(db)),
      slowStatements: await part(() => readSlowStatements(db)),
    };
  } finally {
    await db.close();
  }
}

const describeServer = (facts: Awaited<ReturnType<typeof readServerFacts>>) => ({
  ...facts,
  startedAt: formatUtc(facts.startedAt),
});

async function readSlowStatements(db: Database) {
  return (await listSlowStatements(db)) ?? 'The extension pg_stat_statements is not installed in this database.';
}

/** Warnings and errors of the service, newest last. */
async function readErrors(file: string) {
  const lines = await readRecentLines(file, LOG_BYTES);
  if (lines === undefined) return 'There is no log file. If the log is elsewhere, write it to a file and add --log.';
  return lines
    .map(parseLogLine)
    .filter((line) => typeof line['level'] === 'number' && line['level'] >= WARNING_LEVEL)
    .slice(-MAX_LOG_LINES)
    .map(({ time, ...line }) => ({ at: typeof time === 'number' ? formatUtc(time) : null, ...line }));
}

/** Empty for the end of a line, and for the output of other programs. */
function parseLogLine(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Only what ended sessions or the server. Other lines may contain statements and rows. */
async function readDatabaseErrors(file: string) {
  const lines = await readRecentLines(file, LOG_BYTES);
  if (lines === undefined) return 'There is no log of an embedded database.';
  return lines.filter((line) => /\b(?:FATAL|PANIC):/.test(line)).slice(-MAX_LOG_LINES);
}

/** Of this installation, in every form in which they may be written. */
async function listSecrets(config: Config): Promise<string[]> {
  const key = await findMasterKey(config).catch(() => undefined);
  const keyForms = key === undefined ? [] : (['base64', 'base64url', 'hex'] as const).map((form) => key.toString(form));
  const { databaseUrl, smtpUrl, routingUrl, mapStyleUrl, metricsToken } = config;
  const inUrls = [databaseUrl, smtpUrl, routingUrl, mapStyleUrl].flatMap((url) => (url === null ? [] : secretsIn(url)));
  return [...keyForms, ...inUrls, ...(metricsToken === null ? [] : [metricsToken])];
}

/** Not with `URL`: it refuses several hosts. */
function secretsIn(url: string): string[] {
  const [, password = ''] = /:\/\/[^/?#]*?:([^/?#]*)@/.exec(url) ?? [];
  const parameters = [...url.matchAll(/[?&](?:password|key|token|access_token|api_key)=([^&#]*)/gi)];
  const found = [url, password, ...parameters.map(([, value = '']) => value)];
  return found.flatMap((value) => [value, decode(value)]);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}

function redactAll(value: Json, secrets: readonly string[]): Json {
  if (typeof value === 'string') return redactSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((item) => redactAll(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]): [string, Json] => [
    redactSecrets(name, secrets),
    // A log line may have a field for a secret, with any value.
    isSecretName(name) ? '[redacted]' : redactAll(item, secrets),
  ]);
  return Object.fromEntries(entries);
}

function isSecretName(name: string): boolean {
  return /passw|secret|token|api_?key|master_?key|private_?key|authorization|cookie|signature/i.test(name);
}

/** Only its owner can read the file. False if there is one already: it is never overwritten. */
async function writeNewFile(file: string, content: string): Promise<boolean> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'wx', 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
  return true;
}

export const diagnoseCommands = [diagnose];
