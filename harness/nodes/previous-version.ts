// The program as of the previous release, taken from the history of this repository.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** The last commit of that release. Update it with each release; WAYBILL_PREVIOUS_COMMIT overrides it. */
const PREVIOUS_COMMIT = '52645134663c1eb793010bf9a0ab6621195a4ba2';

const ROOT = path.join(import.meta.dirname, '..', '..');
const COMMIT = process.env['WAYBILL_PREVIOUS_COMMIT'] ?? PREVIOUS_COMMIT;

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), dev: z.boolean().optional() })),
});

/** Why the previous version cannot run here; undefined if it can. */
export function whyNoPreviousVersion(): string | undefined {
  let lock: string;
  try {
    lock = git(['show', `${COMMIT}:package-lock.json`]);
  } catch {
    return `commit ${COMMIT.slice(0, 7)} is not here: no git, no repository, or a shallow clone`;
  }
  // What the program needed then may only be needed for development now: it is installed anyway.
  const installed = listPackages(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'), { isDevIncluded: true });
  const needed = listPackages(lock, { isDevIncluded: false });
  const missing = [...needed].filter(([name, version]) => installed.get(name) !== version);
  return missing.length === 0 ? undefined : `commit ${COMMIT.slice(0, 7)} needs other packages: ${missing.join(' ')}`;
}

/** Versions by name. Packages that were added later do no harm. */
function listPackages(lock: string, { isDevIncluded }: { isDevIncluded: boolean }): Map<string, string> {
  const { packages } = lockSchema.parse(JSON.parse(lock));
  return new Map(
    Object.entries(packages).flatMap(([name, { version, dev }]) =>
      name === '' || version === undefined || (dev === true && !isDevIncluded) ? [] : [[name, version] as const],
    ),
  );
}

/** Writes it into a folder, together with the packages of this version, and returns the path of its main program. */
export function writePreviousVersion(folder: string): string {
  mkdirSync(folder, { recursive: true });
  // A separate index leaves the repository's own index unchanged.
  const env = { ...process.env, GIT_INDEX_FILE: path.join(folder, '.git-index') };
  git(['read-tree', COMMIT], env);
  git(['checkout-index', '--all', `--prefix=${folder}/`], env);
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return path.join(folder, 'src', 'main.ts');
}

function git(args: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  return execFileSync('git', args, {
    cwd: ROOT,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
