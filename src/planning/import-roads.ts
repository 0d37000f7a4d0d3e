// Builds the embedded roads from an extract of OpenStreetMap. What is in use stays until the new roads are complete.
import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DAY_MS, type Instant } from '../domain/time.ts';
import { RoadsError } from './roads-error.ts';
import { findTiles, ROADS_FILE, type RoadsFile } from './roads.ts';
import { describeRoads, tileBuilderOf } from './valhalla.ts';

export interface ImportRoadsOptions {
  /** The extract, `.osm.pbf`. */
  file: string;
  roadsDir: string;
  /** Names the new folder. */
  now: Instant;
  /** Gives the folder of the engine's package; called only when there is something to import. */
  getEngineDir: () => Promise<string>;
}

const TILES = 'tiles-';
/** A name of its own while it is built: another import that ends meanwhile removes tiles that nobody uses. */
const DRAFT = 'building-';
/** A continent takes hours; what is older was left behind by an import that was killed. */
const DRAFT_LIFE_MS = DAY_MS;
const NO_ROADS = 'it holds no roads';

export async function importRoads(options: ImportRoadsOptions): Promise<{ tiles: number }> {
  const file = path.resolve(options.file);
  const info = await stat(file).catch(() => undefined);
  if (info?.isFile() !== true) throw new RoadsError(`There is no file ${file}.`);
  const program = tileBuilderOf(await options.getEngineDir());
  if ((await stat(program).catch(() => undefined)) === undefined) {
    throw new RoadsError(`The routing engine does not run on ${process.platform} ${process.arch}; roads need Linux.`);
  }
  const roadsDir = path.resolve(options.roadsDir);
  const draftDir = path.join(roadsDir, `${DRAFT}${options.now}`);
  await mkdir(draftDir, { recursive: true });
  const tiles = await build(program, { file, tileDir: draftDir });
  const folder = `${TILES}${options.now}`;
  const tileDir = path.join(roadsDir, folder);
  await rename(draftDir, tileDir);
  // If it cannot be read, this import mends that.
  const before = await findTiles(roadsDir).catch(() => undefined);
  const draft = path.join(tileDir, ROADS_FILE);
  await writeFile(draft, JSON.stringify({ tiles: folder } satisfies RoadsFile));
  await rename(draft, path.join(roadsDir, ROADS_FILE));
  for (const name of await readdir(roadsDir)) {
    const other = path.join(roadsDir, name);
    // A service that runs goes on with the roads that it began with.
    const isOld = name.startsWith(TILES) && other !== tileDir && other !== before;
    if (isOld || isLeftBehind(name, options.now)) await rm(other, { recursive: true, force: true });
  }
  return { tiles };
}

function isLeftBehind(name: string, now: Instant): boolean {
  return name.startsWith(DRAFT) && Number(name.slice(DRAFT.length)) < now - DRAFT_LIFE_MS;
}

async function build(program: string, { file, tileDir }: { file: string; tileDir: string }): Promise<number> {
  try {
    const config = path.join(tileDir, 'build.json');
    await writeFile(config, JSON.stringify(describeRoads(tileDir)));
    // The builder leaves its notes where it runs.
    await promisify(execFile)(program, ['-c', config, file], { cwd: tileDir, maxBuffer: 64 * 1024 * 1024 });
    const entries = await readdir(tileDir, { recursive: true });
    const tiles = entries.filter((name) => name.endsWith('.gph')).length;
    if (tiles === 0) throw new Error(NO_ROADS);
    return tiles;
  } catch (error) {
    await rm(tileDir, { recursive: true, force: true });
    throw new RoadsError(`${file} could not be read as an extract of OpenStreetMap (.osm.pbf): ${explain(error)}`);
  }
}

/** What the builder said last; where a file holds no roads it ends without a word. */
function explain(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  const [last = ''] = said.trim().split('\n').toReversed();
  return last.replace(/^\s*(?:what\(\):|Error:)\s*/, '') || NO_ROADS;
}
