// The package that users install: what is in it, and that it works in a folder where nothing else is installed.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/service/database.ts';
import { serveSettings, START_LIMIT_MS } from '../../processes/serve.ts';
import { commandOf, serveFrom } from '../../../harness/nodes/served-node.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const PACKAGING_LIMIT_MS = 300_000;
const MEGABYTE = 1_000_000;
const run = promisify(execFile);

let folder: string;
let tarball: string;
/** The command that npm put there. */
let waybill: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-package-test-'));
  tarball = await makePackage('first');
  waybill = await installOffline();
}, PACKAGING_LIMIT_MS);

afterAll(() => rm(folder, { recursive: true }));

async function makePackage(name: string): Promise<string> {
  const script = path.join(ROOT, 'scripts', 'pack.mjs');
  const { stdout } = await run(process.execPath, [script, '--out', path.join(folder, name)]);
  return stdout.trim();
}

/** With an empty cache and without a network, so that everything must be in the package. */
async function installOffline(): Promise<string> {
  const installed = path.join(folder, 'installed');
  await mkdir(installed);
  await writeFile(path.join(installed, 'package.json'), '{"private":true}');
  const args = ['install', '--offline', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', tarball];
  const env = { PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`, HOME: folder };
  await run('npm', args, { cwd: installed, env });
  return path.join(installed, 'node_modules', '.bin', 'waybill');
}

async function hashOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

async function listPackaged(): Promise<string[]> {
  const { stdout } = await run('tar', ['-tzf', tarball], { maxBuffer: MEGABYTE });
  return stdout
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''));
}

test('the package contains the service and its pages, and nothing that builds or tests them', async () => {
  const { devDependencies } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const names = await listPackaged();
  expect(names).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'migrations/0001_foundation.sql',
      'panel/dist/index.html',
      'scripts/postgres/17/package-lock.json',
      'src/http/live/browser/page.html',
      'src/main.js',
      'src/planning/threads/planning-thread.js',
      'src/planning/travel/roads-process.js',
      'src/worker-entry.js',
    ]),
  );
  const isUnwanted = (name: string): boolean =>
    /\.(?:tsx?|map)$|\.test\.|^panel\/(?!dist\/)/.test(name) ||
    Object.keys(devDependencies).some((dependency) => name.includes(`node_modules/${dependency}/`));
  expect(['src/main.ts', 'panel/src/main.js', 'node_modules/vite/bin/vite.js'].filter(isUnwanted)).toHaveLength(3);
  expect(names.filter(isUnwanted)).toEqual([]);
});

test('the bill of materials lists exactly the packages that are in it, with their versions', async () => {
  const installed = path.join(path.dirname(waybill), '..', 'waybill');
  const readJson = async (file: string): Promise<unknown> =>
    JSON.parse(await readFile(path.join(installed, file), 'utf8'));
  const manifests = (await listPackaged()).filter((name) =>
    /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(name),
  );
  const identify = (value: unknown) => {
    const { name, version } = value as { name: string; version: string };
    return `${name}@${version}`;
  };
  const packaged = await Promise.all(manifests.map(async (file) => identify(await readJson(file))));
  const { components } = (await readJson('sbom.cdx.json')) as { components: { scope: string; hashes?: unknown }[] };
  const required = components.filter(({ scope }) => scope === 'required');
  expect(packaged.length).toBeGreaterThan(80);
  expect(required.map(identify).toSorted()).toEqual(packaged.toSorted());
  expect(required.filter(({ hashes }) => hashes === undefined)).toEqual([]);
  expect(components.length - required.length).toBe(4);
});

test('the installed package plans an order and shows the pages', { timeout: START_LIMIT_MS }, async () => {
  const database = await createTestDatabase();
  const settings = serveSettings({ databaseUrl: database.url, folder });
  const node = await serveFrom(waybill, settings);
  try {
    expect((await fetch(`${node.address}/readyz`)).status).toBe(200);
    expect(await (await fetch(node.address)).text()).toContain('<script type="module"');
    expect((await fetch(`${node.address}/docs/viewer.js`)).status).toBe(200);
    const command = (...words: string[]) => commandOf(waybill, settings, words);
    const place = ['--lat', '40.98', '--lng', '29.02'];
    await command('restaurant', 'add', '--name', 'Kebap', '--restaurant-id', 'R1', '--auto-approve', ...place);
    await command('courier', 'add', '--name', 'Ada', ...place);
    const { apiKey } = await command('key', 'create', '--restaurant', 'R1');
    const orders = `${node.address}/webhook/third-party/order`;
    const headers = { 'content-type': 'application/json', 'x-api-key': String(apiKey) };
    const dropoff = { location: { latitude: 40.9828, longitude: 29.0262 } };
    const body = JSON.stringify({ orderId: 'one', restaurantId: 'R1', dropoff });
    expect((await fetch(orders, { method: 'POST', headers, body })).status).toBe(201);
    const readStatus = async () =>
      ((await (await fetch(`${orders}/one`, { headers })).json()) as { status: string }).status;
    await expect.poll(readStatus).toMatch(/^(?:ROUTED|ASSIGNED)$/);
    expect(node.errors).toEqual([]);
  } finally {
    await node.stop();
    await database.drop();
  }
});

test('it names its commands as they are run there', async () => {
  const { stdout } = await run(process.execPath, [waybill, 'help']);
  expect(stdout).toMatch(/^Usage: npx waybill <command> \[--json\]\n/);
});

test('it runs on the Node that was installed with it', async () => {
  const bin = path.join(path.dirname(waybill), '..', `node-${process.platform}-${process.arch}`, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(path.join(bin, 'node'), '#!/bin/sh\necho "$@"\nexit 7\n', { mode: 0o755 });
  const failure: unknown = await run(process.execPath, [waybill, 'help']).catch((error: unknown) => error);
  await rm(path.dirname(bin), { recursive: true });
  expect(failure).toMatchObject({
    code: 7,
    stdout: expect.stringMatching(/--max-semi-space-size=64 .*main\.js help\n$/),
  });
});

test('its size is the one in docs/installing.md', async () => {
  const page = await readFile(path.join(ROOT, 'docs', 'installing.md'), 'utf8');
  const [, stated] = /The package is (\d+(?:\.\d)?) MB/.exec(page) ?? [];
  expect((await stat(tarball)).size / MEGABYTE).toBeCloseTo(Number(stated), 0);
});

test('the same files give the same bytes', { timeout: PACKAGING_LIMIT_MS }, async () => {
  // Not the bytes themselves: the report of a difference would take minutes.
  expect(await hashOf(await makePackage('second'))).toBe(await hashOf(tarball));
});
