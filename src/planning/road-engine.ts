// Fetches the routing engine that imported roads need. It is large and few want it, so it is no dependency of the
// project: the first import installs exactly the version of its own lock, checked against the hash in there.
import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { hasCode, RoadsError } from './roads-error.ts';

const PACKAGE = '@valhallajs/valhallajs';
const LOCK_DIR = fileURLToPath(new URL('../../scripts/roads', import.meta.url));
const MANIFEST = z.object({ dependencies: z.object({ [PACKAGE]: z.string() }) });

const NPM_ARGUMENTS = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
// npm's own patience with a registry that does not answer is more than a minute.
const IMPATIENT = ['--fetch-retry-mintimeout=2000', '--fetch-retry-maxtimeout=8000'];
const NETWORK_FAILURE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|network request to .* failed/;

const PROGRESS_MS = 2_000;
const MEGABYTE = 1_000_000;
const UNPACKED_MEGABYTES = 292;

export interface EngineOptions {
  /** The engine of each version lies in a folder of its own in here. */
  roadsDir: string;
  tell: (line: string) => void;
  /** The program that installs; `npm` where it is not named. */
  npm?: string;
}

/** The folder of the engine's package, which may not be there yet. */
export async function locateEngine(roadsDir: string): Promise<string> {
  const { dependencies } = MANIFEST.parse(JSON.parse(await readFile(path.join(LOCK_DIR, 'package.json'), 'utf8')));
  return path.join(path.resolve(roadsDir), `engine-${dependencies[PACKAGE]}`, 'node_modules', PACKAGE);
}

/** Installs the engine if it is not there, and gives its folder. */
export async function ensureEngine({ roadsDir, tell, npm = 'npm' }: EngineOptions): Promise<string> {
  const engineDir = await locateEngine(roadsDir);
  if (await isFolder(engineDir)) return engineDir;
  await mkdir(roadsDir, { recursive: true });
  const draft = await mkdtemp(path.join(path.resolve(roadsDir), 'fetching-'));
  try {
    for (const name of ['package.json', 'package-lock.json']) {
      await copyFile(path.join(LOCK_DIR, name), path.join(draft, name));
    }
    tell('Fetching the routing engine, once: 87 MB.');
    await install(npm, draft, tell);
    // A temporary folder is its maker's alone; who imports need not be who runs the service.
    await chmod(draft, 0o755);
    // Whole or not at all; and whoever fetched it at the same moment has fetched the same.
    await rename(draft, path.resolve(engineDir, '../../..')).catch((error: unknown) => {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    });
    return engineDir;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function install(npm: string, folder: string, tell: (line: string) => void): Promise<void> {
  const child = spawn(npm, [...NPM_ARGUMENTS, ...IMPATIENT], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const progress = setInterval(() => void tellProgress(folder, tell), PROGRESS_MS);
  const result = await new Promise<unknown>((resolve) => {
    child.once('error', (error) => resolve('code' in error ? error.code : error.message));
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  clearInterval(progress);
  if (result !== 0) throw explainFailure(result, said);
}

async function tellProgress(folder: string, tell: (line: string) => void): Promise<void> {
  // Files come and go while npm works; those that went do not count.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(path.join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  const megabytes = Math.round(sizes.reduce((sum, size) => sum + size, 0) / MEGABYTE);
  if (megabytes > 0) tell(`Unpacked ${megabytes} of ${UNPACKED_MEGABYTES} MB.`);
}

function explainFailure(result: unknown, said: string): RoadsError {
  const start = 'The routing engine could not be fetched: ';
  if (result === 'ENOENT') return new RoadsError(`${start}npm is not on the PATH. Install it and try again.`);
  if (NETWORK_FAILURE.test(said)) {
    const registry = /https?:\/\/[^/\s]+/.exec(said)?.[0] ?? 'the npm registry';
    return new RoadsError(
      `${start}${registry} cannot be reached. Connect to the network, or set npm's "registry" or "proxy", and try ` +
        'again. Until then travel times are estimated.',
    );
  }
  if (said.includes('EINTEGRITY')) {
    return new RoadsError(
      `${start}what the registry gave is not what the project was tested with. Check npm's "registry" and try again.`,
    );
  }
  return new RoadsError(`${start}npm ended with ${String(result)}. ${said.trim()}`);
}

function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (info) => info.isDirectory(),
    () => false,
  );
}
