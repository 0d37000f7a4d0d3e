// Builds the embedded roads from an OpenStreetMap extract. The roads in use stay until the new ones are complete.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DAY_MS, type Instant } from '../../domain/time.ts';
import { RoadsError } from './roads-error.ts';
import { findTiles, ROADS_FILE, type RoadsFile } from './roads.ts';
import { describeRoads, tileBuilderOf } from './valhalla.ts';

export interface ImportRoadsOptions {
  /** The extract, `.osm.pbf`. */
  file: string;
  roadsDir: string;
  /** Part of the new folder's name, so that its age is known. */
  now: Instant;
  /** Returns the folder of the engine's package; called only if there is something to import. */
  getEngineDir: () => Promise<string>;
}

const TILES = 'tiles-';
/** While it is built. An import removes finished folders of other imports, so the two must be distinguishable. */
const DRAFT = 'building-';
const FOLDER = new RegExp(`^(${TILES}|${DRAFT})(\\d+)`);
/** Importing a continent takes hours; an older draft was left behind by an import that was killed. */
const DRAFT_LIFE_MS = DAY_MS;
const NO_ROADS = 'it contains no roads';

export async function importRoads(options: ImportRoadsOptions): Promise<{ tiles: number }> {
  const file = path.resolve(options.file);
  const info = await stat(file).catch(() => undefined);
  if (info?.isFile() !== true) throw new RoadsError(`The file ${file} does not exist.`);
  const program = tileBuilderOf(await options.getEngineDir());
  if ((await stat(program).catch(() => undefined)) === undefined) {
    throw new RoadsError(
      `The routing engine does not run on ${process.platform} ${process.arch}. Roads can only be imported on Linux.`,
    );
  }
  const roadsDir = path.resolve(options.roadsDir);
  await mkdir(roadsDir, { recursive: true });
  const draftDir = await mkdtemp(path.join(roadsDir, `${DRAFT}${options.now}-`));
  // A temporary folder is private to its owner; the service may run as another user.
  await chmod(draftDir, 0o755);
  const tiles = await build(program, { file, tileDir: draftDir });
  await putToUse(draftDir, options.now);
  return { tiles };
}

/** Another import may finish at the same moment. */
async function putToUse(draftDir: string, now: Instant): Promise<void> {
  const roadsDir = path.dirname(draftDir);
  const folder = path.basename(draftDir).replace(DRAFT, TILES);
  const tileDir = path.join(roadsDir, folder);
  // The tiles are not in use while the file is inside their folder.
  await writeFile(path.join(draftDir, ROADS_FILE), JSON.stringify({ tiles: folder } satisfies RoadsFile));
  await rename(draftDir, tileDir);
  // An unreadable file is replaced by this import.
  const before = await findTiles(roadsDir).catch(() => undefined);
  await rename(path.join(tileDir, ROADS_FILE), path.join(roadsDir, ROADS_FILE));
  const old = await listOld(roadsDir, now);
  // Read after the list was made, because the list may contain tiles that another import has just put to use.
  const current = await findTiles(roadsDir);
  for (const folderDir of old) {
    // A running service keeps using the roads that it started with.
    const isNeeded = [tileDir, before, current].includes(folderDir);
    if (!isNeeded) await rm(folderDir, { recursive: true, force: true });
  }
}

/** Finished tiles, and drafts older than a day. */
async function listOld(roadsDir: string, now: Instant): Promise<string[]> {
  const names = await readdir(roadsDir);
  const old = names.filter((name) => {
    const [, kind, startedAt] = FOLDER.exec(name) ?? [];
    if (kind === TILES && !existsSync(path.join(roadsDir, name, ROADS_FILE))) return true;
    return kind !== undefined && Number(startedAt) < now - DRAFT_LIFE_MS;
  });
  return old.map((name) => path.join(roadsDir, name));
}

async function build(program: string, { file, tileDir }: { file: string; tileDir: string }): Promise<number> {
  try {
    const config = path.join(tileDir, 'build.json');
    await writeFile(config, JSON.stringify(describeRoads(tileDir)));
    // The builder writes its logs to the working directory.
    await promisify(execFile)(program, ['-c', config, file], { cwd: tileDir, maxBuffer: 64 * 1024 * 1024 });
    const entries = await readdir(tileDir, { recursive: true });
    const tiles = entries.filter((name) => name.endsWith('.gph')).length;
    if (tiles === 0) throw new Error(NO_ROADS);
    return tiles;
  } catch (error) {
    await rm(tileDir, { recursive: true, force: true });
    throw new RoadsError(`Cannot read ${file} as an OpenStreetMap extract (.osm.pbf): ${explain(error)}`);
  }
}

/** The builder's last line of output; for a file without roads it prints nothing. */
function explain(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  const [last = ''] = said.trim().split('\n').toReversed();
  return last.replace(/^\s*(?:what\(\):|Error:)\s*/, '') || NO_ROADS;
}
