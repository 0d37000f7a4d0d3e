// Builds the panel into panel/dist when its sources have changed. Prints one line, to standard error only.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withInstallLock } from './install-lock.mjs';
import { SetupError } from './setup-error.mjs';

const SOURCES = ['panel', 'src/contract', 'src/domain', 'package-lock.json'];
const NO_SOURCE = /^panel\/dist|\.test\.ts$/;

export async function ensurePanelBuilt({ cwd: root, env, locate }) {
  const stamp = await computeStamp(root);
  if (stamp === undefined || (await isBuilt(root, stamp))) return;
  const lock = path.join(root, 'panel', 'dist.lock');
  const buildOnce = async ({ guard }) => {
    if (!(await isBuilt(root, stamp))) await build({ root, env, locate, guard }, stamp);
  };
  await withInstallLock(lock, buildOnce, 'building the panel');
}

// Built beside the old panel and swapped in whole, so that a running service serves the old one until then.
async function build(project, stamp) {
  const { root } = project;
  const startedAt = performance.now();
  process.stderr.write('Building the panel … ');
  const fresh = path.join(root, 'panel', `dist.new-${process.pid}`);
  try {
    await runVite(fresh, project);
    await writeFile(path.join(fresh, '.stamp'), stamp);
    await rm(path.join(root, 'panel', 'dist'), { recursive: true, force: true });
    await rename(fresh, path.join(root, 'panel', 'dist'));
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  process.stderr.write(`done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

async function runVite(outDir, { root, env, locate, guard }) {
  const args = ['build', 'panel', '--config', 'panel/vite.config.ts', '--outDir', outDir, '--logLevel', 'warn'];
  const child = spawn(locate('vite'), args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  await guard(child.pid);
  const result = await ended;
  if (result === 0) return;
  process.stderr.write('failed\n');
  console.error(said.trim());
  throw new SetupError(`Couldn't build the panel (${result}). See Vite's output above.`);
}

async function isBuilt(root, stamp) {
  const built = await readFile(path.join(root, 'panel', 'dist', '.stamp'), 'utf8').catch(() => undefined);
  return built === stamp;
}

/** Undefined if there is no panel to build. Hashes contents, because a clone sets every file's time to now. */
async function computeStamp(root) {
  const files = (await Promise.all(SOURCES.map((source) => listFiles(root, source)))).flat().sort();
  if (!files.includes('panel/vite.config.ts')) return undefined;
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(await readFile(path.join(root, file)));
  return hash.digest('hex');
}

async function listFiles(root, source) {
  if (path.extname(source) !== '') return [source];
  const entries = await readdir(path.join(root, source), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
    .filter((file) => !NO_SOURCE.test(file));
}
