// Travel times from roads imported into the data folder. The engine runs in a separate process: it is native code that
// keeps threads busy for seconds, and neither that nor a crash may affect the service.
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { locateEngine } from './road-engine.ts';
import { hasCode, RoadsError } from './roads-error.ts';
import type { RoadsAnswer, RoadsQuestion } from './roads-process.ts';
import type { TravelTile, TravelTimes } from './travel-times.ts';

/** TypeScript in a checkout, JavaScript in the package. */
const ENTRY = new URL(`roads-process${path.extname(import.meta.filename)}`, import.meta.url);

/** A tile takes a fraction of a second; one that takes this long will never finish. */
const TIME_LIMIT_MS = 10_000;

/** The import writes it last; without it there are no roads. */
export const ROADS_FILE = 'roads.json';

const ROADS = z.object({
  /** The tile folder, relative to this file, so that everything can be moved to another machine. */
  tiles: z.string(),
});
export type RoadsFile = z.infer<typeof ROADS>;

/** The folder of the tiles imported last; undefined if there are none. */
export async function findTiles(roadsDir: string): Promise<string | undefined> {
  try {
    const { tiles } = ROADS.parse(JSON.parse(await readFile(path.join(roadsDir, ROADS_FILE), 'utf8')));
    return path.join(path.resolve(roadsDir), tiles);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export interface Roads extends TravelTimes {
  close(): void;
}

export interface OpenRoadsOptions {
  /** The folder of the engine's package, if it is not in the folder of the roads. */
  engineDir?: string;
  timeLimitMs?: number;
}

/** Null if nothing was imported. */
export async function openRoads(roadsDir: string, options: OpenRoadsOptions = {}): Promise<Roads | null> {
  const tileDir = await findTiles(roadsDir);
  if (tileDir === undefined) return null;
  const engineDir = options.engineDir ?? (await locateEngine(roadsDir));
  requireEngine(engineDir);
  return new RoadsClient({ roadsDir, engineDir, tileDir }, options.timeLimitMs ?? TIME_LIMIT_MS);
}

function requireEngine(engineDir: string): void {
  if (existsSync(engineDir)) return;
  throw new RoadsError(
    `Roads were imported, but their routing engine is not in ${engineDir}. Import them again with: waybill roads import`,
  );
}

interface RoadsPlace {
  roadsDir: string;
  engineDir: string;
  tileDir: string;
}

interface Asked {
  resolve: (cells: Int32Array) => void;
  reject: (error: Error) => void;
}

class RoadsClient implements Roads {
  readonly name = 'roads';
  #place: RoadsPlace;
  readonly #timeLimitMs: number;
  readonly #asked = new Map<number, Asked>();
  #child: ChildProcess | undefined;
  #lastNumber = 0;

  constructor(place: RoadsPlace, timeLimitMs: number) {
    this.#place = place;
    this.#timeLimitMs = timeLimitMs;
  }

  async measure(tile: TravelTile): Promise<Int32Array> {
    // Without its tiles the engine would report every place as off the map.
    if (!existsSync(this.#place.tileDir)) await this.#moveToNewest();
    const child = (this.#child ??= this.#start());
    this.#lastNumber += 1;
    const question: RoadsQuestion = { number: this.#lastNumber, tile };
    const late = setTimeout(() => {
      this.#end(child, `the routing engine did not respond within ${this.#timeLimitMs / 1_000} s`);
    }, this.#timeLimitMs);
    try {
      return await new Promise((resolve, reject) => {
        this.#asked.set(question.number, { resolve, reject });
        child.send(question, (error) => {
          if (error !== null) this.#end(child, `cannot send a request to the routing engine: ${error.message}`);
        });
      });
    } finally {
      clearTimeout(late);
    }
  }

  close(): void {
    if (this.#child !== undefined) this.#end(this.#child, 'the routing engine was closed');
  }

  /** Its tiles were deleted: the second import after its start removes them. */
  async #moveToNewest(): Promise<void> {
    const { roadsDir } = this.#place;
    const tileDir = await findTiles(roadsDir);
    if (tileDir === undefined || !existsSync(tileDir)) {
      throw new RoadsError(`The roads in ${roadsDir} are missing. Import them again with: waybill roads import`);
    }
    if (this.#child !== undefined) this.#end(this.#child, 'other roads were imported');
    this.#place = { ...this.#place, tileDir };
  }

  #start(): ChildProcess {
    const { engineDir, tileDir } = this.#place;
    requireEngine(engineDir);
    const child = fork(ENTRY, [engineDir, tileDir], {
      // Without the service's secrets and options.
      env: {},
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (answer: RoadsAnswer) => {
      const asked = this.#asked.get(answer.number);
      this.#asked.delete(answer.number);
      if (answer.kind === 'measured') asked?.resolve(answer.cells);
      else asked?.reject(new Error(answer.reason));
    });
    child.once('error', (error) => this.#end(child, `cannot start the routing engine: ${error.message}`));
    child.once('exit', (code, signal) => this.#end(child, `the routing engine exited with ${code ?? signal}`));
    // It must not keep the service alive; it exits when the service is gone.
    child.unref();
    child.channel?.unref();
    return child;
  }

  /** All pending requests fail; the next request starts another process. */
  #end(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    child.kill('SIGKILL');
    for (const { reject } of this.#asked.values()) reject(new Error(reason));
    this.#asked.clear();
  }
}
