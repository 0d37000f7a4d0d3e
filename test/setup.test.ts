// The setup that every npm script begins with, run on a small separate project and with a stand-in for npm that
// "installs" the Node that runs this test.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const SCRIPTS = fileURLToPath(new URL('../scripts', import.meta.url));

// Logs each call; hangs, fails or omits Node if a file with that name exists.
const NPM = `#!/bin/sh
root=$(cd -- "$(dirname -- "$0")/.." && pwd)
if [ "$1" = version ]; then cat "$root/versions"; exit; fi
echo "$1$CALLED_BY" >> "$root/calls"
echo noise on standard output
if [ -e "$root/fail" ]; then cat "$root/fail" >&2; exit 1; fi
if [ "$1" = install ]; then
  mkdir -p node_modules/node-${process.platform}-${process.arch}/bin
  ln -s "$NODE_BINARY" node_modules/node-${process.platform}-${process.arch}/bin/node
  mkdir -p node_modules/npm/bin
  cp "$root/npm-cli.js" node_modules/npm/bin/npm-cli.js
  exit
fi
rm -rf node_modules
mkdir -p node_modules/node/bin node_modules/.bin
echo '{"version":"24.0.0"}' > node_modules/node/package.json
if [ -e "$root/hang" ]; then while [ -e "$root/hang" ]; do sleep 0.05; done; fi
if [ ! -e "$root/no-scripts" ]; then ln -s "$NODE_BINARY" node_modules/node/bin/node; fi
for tool in oxfmt oxlint tsc knip; do
  printf '#!/bin/sh\\necho %s ran\\ntest %s != oxlint\\n' $tool $tool > node_modules/.bin/$tool
  chmod +x node_modules/.bin/$tool
done
`;

/** The npm that is downloaded: the same stand-in, running on the Node that was downloaded with it. */
const NPM_CLI = `
  const { execFileSync } = require('node:child_process');
  const env = { ...process.env, CALLED_BY: ' by ' + require('node:path').basename(process.execPath) };
  execFileSync(__dirname + '/../../../../bin/npm', process.argv.slice(2), { stdio: 'inherit', env });
`;

const PROGRAM = `
  const [command, wanted] = process.argv.slice(2);
  if (command === 'serve') {
    process.on('SIGTERM', () => process.exit(7));
    setInterval(() => {}, 1000);
  }
  console.log(JSON.stringify({ args: process.argv.slice(2), demo: process.env.WAYBILL_DEMO ?? null }));
  if (command === 'exit') process.exit(Number(wanted));
`;

let root: string;
const running = new Set<ChildProcess>();

beforeEach(async () => {
  root = path.join(await mkdtemp(path.join(tmpdir(), 'waybill-setup-')), 'a project');
  await mkdir(path.join(root, 'bin'), { recursive: true });
  await mkdir(path.join(root, 'src'));
  await cp(SCRIPTS, path.join(root, 'scripts'), { recursive: true });
  await writeFile(path.join(root, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(root, 'package-lock.json'), '{"lockfileVersion":3}');
  await writeFile(path.join(root, 'src', 'main.ts'), PROGRAM);
  await writeFile(path.join(root, 'bin', 'npm'), NPM);
  await writeFile(path.join(root, 'npm-cli.js'), NPM_CLI);
  await writeFile(path.join(root, 'versions'), '{"npm":"11.0.0","node":"22.12.0"}');
  await chmod(path.join(root, 'bin', 'npm'), 0o755);
});

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
  await rm(path.join(root, 'hang'), { force: true });
  await rm(path.dirname(root), { recursive: true, force: true, maxRetries: 10 });
});

interface Run {
  child: ChildProcess;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

function run(args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [path.join(root, 'scripts', 'run.mjs'), ...args], {
    cwd: '/',
    env: { PATH: `${path.join(root, 'bin')}:/usr/bin:/bin`, NODE_BINARY: process.execPath, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return { child, ended: once(child, 'close').then(() => ({ code: child.exitCode, stdout, stderr })) };
}

async function readCalls(): Promise<string[]> {
  const text = await readFile(path.join(root, 'calls'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

async function isInstalling(): Promise<void> {
  await access(path.join(root, 'node_modules', 'node', 'package.json'));
}

test('a fresh clone is installed once, and only the program writes to standard output', async () => {
  const first = await run(['waybill', 'exit', '3', '--json']).ended;
  expect(first).toMatchObject({ code: 3, stdout: '{"args":["exit","3","--json"],"demo":null}\n' });
  expect(first.stderr).toContain('Installing packages');
  const second = await run(['waybill', 'exit', '0']).ended;
  expect(second).toMatchObject({ code: 0, stderr: '' });
  expect(await readCalls()).toEqual(['ci']);
});

test.each([
  ['package-lock.json has changed', () => writeFile(path.join(root, 'package-lock.json'), '{}')],
  ['node_modules is gone', () => rm(path.join(root, 'node_modules'), { recursive: true })],
  [
    'node_modules comes from another kind of machine',
    async () => {
      const stamp = path.join(root, 'node_modules', '.waybill-installed');
      await writeFile(stamp, (await readFile(stamp, 'utf8')).replace(process.arch, 'riscv64'));
    },
  ],
])('packages are installed again when %s', async (_, change) => {
  await run(['waybill', 'exit', '0']).ended;
  await change();
  expect((await run(['waybill', 'exit', '0']).ended).code).toBe(0);
  expect(await readCalls()).toEqual(['ci', 'ci']);
});

test.each([
  ['npm 9.2 cannot read the lock file', { npm: '9.2.0', node: '22.12.0' }],
  ['packages want a newer Node 18', { npm: '10.8.2', node: '18.20.4' }],
  ['packages want a newer Node 20', { npm: '10.8.2', node: '20.18.3' }],
  ['packages want a newer Node 22', { npm: '10.9.0', node: '22.11.0' }],
])('an npm that would omit packages is replaced for the installation: %s', async (_, versions) => {
  await writeFile(path.join(root, 'versions'), JSON.stringify(versions));
  await writeFile(path.join(root, 'package.json'), '{"type":"module","dependencies":{"node":"24.0.0"}}');
  const { code, stderr } = await run(['waybill', 'exit', '0']).ended;
  expect(stderr).toContain(`npm ${versions.npm} on Node ${versions.node} is too old`);
  expect([code, await readCalls()]).toEqual([0, ['install', 'ci by node']]);
  expect((await readdir(root)).filter((name) => name.startsWith('.installing'))).toEqual([]);
});

test('packages omitted by npm are reported at once and installed on the next run', async () => {
  const packages = {
    'node_modules/elsewhere': { optional: true, os: [process.platform], cpu: ['riscv64'] },
    'node_modules/@native/here': { optional: true, os: [process.platform], cpu: [process.arch] },
  };
  await writeFile(path.join(root, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  for (const calls of [['ci'], ['ci', 'ci']]) {
    const { code, stderr } = await run(['waybill', 'exit', '0']).ended;
    expect([code, await readCalls()]).toEqual([1, calls]);
    expect(stderr).toContain('npm skipped @native/here');
  }
});

test('commands that start together install once', async () => {
  await writeFile(path.join(root, 'hang'), '');
  const first = run(['waybill', 'exit', '0']);
  await vi.waitFor(isInstalling, { timeout: 10_000 });
  const others = [run(['waybill', 'exit', '0']), run(['waybill', 'exit', '0'])];
  await Promise.all(others.map(({ child }) => once(child.stderr ?? child, 'data')));
  await rm(path.join(root, 'hang'));
  const results = await Promise.all([first, ...others].map(({ ended }) => ended));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(await readCalls()).toEqual(['ci']);
});

test('commands wait for an installation whose parent was killed, then install again', async () => {
  await writeFile(path.join(root, 'hang'), '');
  const killed = run(['waybill', 'exit', '0']);
  await vi.waitFor(isInstalling, { timeout: 10_000 });
  killed.child.kill('SIGKILL');
  const next = run(['waybill', 'exit', '0']);
  const [text] = await once(next.child.stderr ?? next.child, 'data');
  expect(String(text)).toContain('Waiting for another command that is installing');
  expect(await readCalls()).toEqual(['ci']);
  await rm(path.join(root, 'hang'));
  expect((await next.ended).code).toBe(0);
  expect(await readCalls()).toEqual(['ci', 'ci']);
  expect((await readdir(root)).filter((name) => name.startsWith('.installing'))).toEqual([]);
});

test('an npm that runs no scripts still sets up Node 24', async () => {
  await writeFile(path.join(root, 'no-scripts'), '');
  const { code, stderr } = await run(['waybill', 'exit', '0']).ended;
  expect(code).toBe(0);
  expect(stderr).toContain('npm skipped the install script of Node 24');
  expect(await readCalls()).toEqual(['ci', 'install']);
});

test('a missing npm is reported with a one-line error', async () => {
  const { code, stdout, stderr } = await run(['test'], { PATH: '/nowhere' }).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^npm is not on the PATH\. .*\.$/);
});

test('an unreachable registry is reported with a one-line error, other failures with the output of npm', async () => {
  const offline = 'npm error request to https://registry.example/zod failed, reason: getaddrinfo ENOTFOUND\n';
  await writeFile(path.join(root, 'fail'), offline);
  const unreachable = await run(['test']).ended;
  expect(unreachable.code).toBe(1);
  expect(unreachable.stderr.trim().split('\n').slice(1)).toEqual([
    expect.stringMatching(/^Can't reach https:\/\/registry\.example to install packages/),
  ]);
  await writeFile(path.join(root, 'fail'), 'npm error the disk is full\n');
  const full = await run(['test']).ended;
  expect(full.stderr).toContain('the disk is full');
  expect(full.code).toBe(1);
});

test('starting enables the demo unless disabled, and SIGTERM is forwarded with its exit code', async () => {
  for (const [env, demo] of [
    [{}, 'on'],
    [{ WAYBILL_DEMO: 'off' }, 'off'],
  ] as const) {
    const service = run(['start'], env);
    const [line] = await once(service.child.stdout ?? service.child, 'data');
    expect(JSON.parse(String(line))).toEqual({ args: ['serve'], demo });
    service.child.kill('SIGTERM');
    expect((await service.ended).code).toBe(7);
  }
});

test('check runs every check even when one fails, and then fails', async () => {
  const { code, stdout } = await run(['check']).ended;
  expect(code).toBe(1);
  for (const tool of ['oxfmt', 'oxlint', 'tsc', 'knip']) expect(stdout).toContain(`${tool} ran`);
  expect(stdout).toMatch(/✔ types \(\d+\.\d s\)/);
  expect(stdout).toContain('Failed: lint.');
});

test('an unknown command is refused before anything is installed', async () => {
  const { code, stderr } = await run(['strat']).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Usage: /);
  expect(await readCalls()).toEqual([]);
});

/** A panel whose build records its input and takes a moment. */
async function addPanel(): Promise<void> {
  await mkdir(path.join(root, 'panel', 'src'), { recursive: true });
  await writeFile(path.join(root, 'panel', 'vite.config.ts'), '');
  await writeFile(path.join(root, 'panel', 'src', 'main.tsx'), 'one');
  const vite = `#!/bin/sh
echo built >> "$PWD/builds"
if [ -e "$PWD/broken" ]; then echo "main.tsx is broken" >&2; exit 1; fi
while [ "$1" != --outDir ]; do shift; done
mkdir -p "$2"
sleep 0.2
cat "$PWD/panel/src/main.tsx" > "$2/index.html"
`;
  await run(['waybill', 'exit', '0']).ended;
  await writeFile(path.join(root, 'node_modules', '.bin', 'vite'), vite);
  await chmod(path.join(root, 'node_modules', '.bin', 'vite'), 0o755);
  await writeFile(path.join(root, 'node_modules', '.bin', 'vitest'), '#!/bin/sh\necho tested\n');
  await chmod(path.join(root, 'node_modules', '.bin', 'vitest'), 0o755);
}

async function countBuilds(): Promise<number> {
  const text = await readFile(path.join(root, 'builds'), 'utf8').catch(() => '');
  return text.split('\n').length - 1;
}

test('the panel is built only when its sources have changed', async () => {
  await addPanel();
  const first = await run(['test']).ended;
  expect(first).toMatchObject({ code: 0, stdout: 'tested\n' });
  expect(first.stderr).toMatch(/^Building the panel … done in [\d.]+ s\n$/);
  expect((await run(['test']).ended).stderr).toBe('');
  await writeFile(path.join(root, 'panel', 'src', 'main.tsx'), 'two');
  await run(['test']).ended;
  expect(await countBuilds()).toBe(2);
  expect(await readFile(path.join(root, 'panel', 'dist', 'index.html'), 'utf8')).toBe('two');
  expect((await readdir(path.join(root, 'panel'))).toSorted()).toEqual(['dist', 'src', 'vite.config.ts']);
});

test('serving also builds the panel, and other commands do not wait for it', async () => {
  await addPanel();
  await run(['waybill', 'exit', '0']).ended;
  expect(await countBuilds()).toBe(0);
  const service = run(['waybill', 'serve']);
  await once(service.child.stdout ?? service.child, 'data');
  expect(await countBuilds()).toBe(1);
  service.child.kill('SIGTERM');
  await service.ended;
});

test('two concurrent commands build the panel once', async () => {
  await addPanel();
  const both = await Promise.all([run(['test']).ended, run(['test']).ended]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(await countBuilds()).toBe(1);
});

test('a panel build failure stops the command and keeps the previous build', async () => {
  await addPanel();
  await run(['test']).ended;
  await writeFile(path.join(root, 'broken'), '');
  await writeFile(path.join(root, 'panel', 'src', 'main.tsx'), 'two');
  const { code, stdout, stderr } = await run(['test']).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('main.tsx is broken');
  expect(await readFile(path.join(root, 'panel', 'dist', 'index.html'), 'utf8')).toBe('one');
});
