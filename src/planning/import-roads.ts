// Builds the embedded roads from an extract of OpenStreetMap. What is in use stays until the new roads are complete.
import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROADS_FILE } from './roads.ts';
import { describeRoads, findValhalla, tileBuilderOf } from './valhalla.ts';

export class RoadsError extends Error {
  override name = 'RoadsError';
}

export interface ImportRoadsOptions {
  /** The extract, `.osm.pbf`. */
  file: string;
  roadsDir: string;
  /** Names the new folder; the one before is removed at the end. */
  stamp: string;
  /** Where the engine's package is. */
  engineDir?: string;
}

const TILES = 'tiles-';

export async function importRoads(options: ImportRoadsOptions): Promise<{ tiles: number }> {
  const file = path.resolve(options.file);
  const info = await stat(file).catch(() => undefined);
  if (info?.isFile() !== true) throw new RoadsError(`There is no file ${file}.`);
  const engineDir = options.engineDir ?? findValhalla();
  const roadsDir = path.resolve(options.roadsDir);
  const tileDir = path.join(roadsDir, `${TILES}${options.stamp}`);
  await mkdir(tileDir, { recursive: true });
  const draft = path.join(roadsDir, `${ROADS_FILE}.new`);
  await writeFile(draft, JSON.stringify(describeRoads(tileDir)));
  const tiles = await build(tileBuilderOf(engineDir), { draft, file, tileDir });
  await rename(draft, path.join(roadsDir, ROADS_FILE));
  for (const name of await readdir(roadsDir)) {
    const folder = path.join(roadsDir, name);
    if (name.startsWith(TILES) && folder !== tileDir) await rm(folder, { recursive: true });
  }
  return { tiles };
}

async function build(program: string, what: { draft: string; file: string; tileDir: string }): Promise<number> {
  const { draft, file, tileDir } = what;
  try {
    // The builder leaves its notes where it runs.
    await promisify(execFile)(program, ['-c', draft, file], { cwd: tileDir, maxBuffer: 64 * 1024 * 1024 });
    const entries = await readdir(tileDir, { recursive: true });
    const tiles = entries.filter((name) => name.endsWith('.gph')).length;
    if (tiles === 0) throw new Error('it holds no roads');
    return tiles;
  } catch (error) {
    await rm(tileDir, { recursive: true, force: true });
    await rm(draft, { force: true });
    throw new RoadsError(`${file} could not be read as an extract of OpenStreetMap (.osm.pbf): ${lastLine(error)}`);
  }
}

function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n').at(-1)?.trim() ?? text;
}
