// The routing engine for imported roads. The first import downloads it.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { fetchLockedPackage, PackageNotFetched } from '../../runtime/locked-package.ts';
import { RoadsError } from './roads-error.ts';

const PACKAGE = '@valhallajs/valhallajs';
const LOCK_DIR = fileURLToPath(new URL('../../../scripts/roads', import.meta.url));
const MANIFEST = z.object({ dependencies: z.object({ [PACKAGE]: z.string() }) });
const UNPACKED_MEGABYTES = 292;

export interface EngineOptions {
  /** Contains one folder for each version of the engine. */
  roadsDir: string;
  onProgress: (line: string) => void;
  /** The program that installs; defaults to `npm`. */
  npm?: string;
}

/** The folder of the engine's package, which may not exist yet. */
export async function locateEngine(roadsDir: string): Promise<string> {
  const { dependencies } = MANIFEST.parse(JSON.parse(await readFile(path.join(LOCK_DIR, 'package.json'), 'utf8')));
  return path.join(path.resolve(roadsDir), `engine-${dependencies[PACKAGE]}`, 'node_modules', PACKAGE);
}

/** Installs the engine if it is missing, and returns its folder. */
export async function ensureEngine({ roadsDir, ...options }: EngineOptions): Promise<string> {
  const engineDir = await locateEngine(roadsDir);
  if (await isFolder(engineDir)) return engineDir;
  options.onProgress('Downloading the routing engine (87 MB, only once).');
  const folder = path.resolve(engineDir, '../../..');
  try {
    await fetchLockedPackage({ lockDir: LOCK_DIR, folder, megabytes: UNPACKED_MEGABYTES, ...options });
  } catch (error) {
    if (!(error instanceof PackageNotFetched)) throw error;
    throw new RoadsError(
      `Cannot download the routing engine: ${error.message} Until it is installed, travel times are estimated.`,
    );
  }
  return engineDir;
}

function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (info) => info.isDirectory(),
    () => false,
  );
}
