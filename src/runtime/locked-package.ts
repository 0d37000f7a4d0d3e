// Downloads a large npm package that few users need and that is therefore not a dependency of the project. Its separate
// lockfile pins the exact version and its hash.
import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

const NPM_ARGUMENTS = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
// By default npm waits more than a minute for a registry that does not answer.
const IMPATIENT = ['--fetch-retry-mintimeout=2000', '--fetch-retry-maxtimeout=8000'];
const NETWORK_FAILURE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|network request to .* failed/;

const PROGRESS_MS = 2_000;
const MEGABYTE = 1_000_000;

export interface LockedPackage {
  /** Contains the package.json and the package-lock.json. */
  lockDir: string;
  /** Where node_modules will be; it appears complete or not at all. */
  folder: string;
  /** The unpacked size. */
  megabytes: number;
  onProgress: (line: string) => void;
  /** The program that installs; defaults to `npm`. */
  npm?: string;
}

/** The message says what went wrong and what to do about it. */
export class PackageNotFetched extends Error {
  override name = 'PackageNotFetched';
}

export async function fetchLockedPackage(wanted: LockedPackage): Promise<void> {
  const parent = path.dirname(wanted.folder);
  await mkdir(parent, { recursive: true });
  const draft = await mkdtemp(path.join(parent, 'fetching-'));
  try {
    for (const name of ['package.json', 'package-lock.json']) {
      await copyFile(path.join(wanted.lockDir, name), path.join(draft, name));
    }
    await install(draft, wanted);
    // A temporary folder is private to its owner; the service may run as another user.
    await chmod(draft, 0o755);
    // A concurrent process may have put the same package there first.
    await rename(draft, wanted.folder).catch((error: unknown) => {
      if (!isOccupied(error)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function isOccupied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
}

async function install(folder: string, { npm = 'npm', megabytes, onProgress }: LockedPackage): Promise<void> {
  const child = spawn(npm, [...NPM_ARGUMENTS, ...IMPATIENT], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const progress = setInterval(() => {
    void measure(folder).then((done) => done > 0 && onProgress(`Unpacked ${done} of ${megabytes} MB.`));
  }, PROGRESS_MS);
  const result = await new Promise<unknown>((resolve) => {
    child.once('error', (error) => resolve('code' in error ? error.code : error.message));
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  clearInterval(progress);
  if (result !== 0) throw new PackageNotFetched(explain(result, said));
}

/** In megabytes. */
async function measure(folder: string): Promise<number> {
  // Files appear and disappear while npm works; deleted ones do not count.
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
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / MEGABYTE);
}

function explain(result: unknown, said: string): string {
  if (result === 'ENOENT') return 'npm is not on the PATH. Install npm and try again.';
  if (NETWORK_FAILURE.test(said)) {
    const registry = /https?:\/\/[^/\s]+/.exec(said)?.[0] ?? 'the npm registry';
    return `${registry} cannot be reached. Check the network and the npm settings "registry" and "proxy", and try again.`;
  }
  if (said.includes('EINTEGRITY')) {
    return `The downloaded package does not match its checksum. Check the npm setting "registry" and try again.`;
  }
  return `npm failed with ${String(result)}. ${said.trim()}`;
}
