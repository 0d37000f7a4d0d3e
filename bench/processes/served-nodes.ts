// Nodes as they run in production: `serve` as separate processes that share one database.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UndoList } from '../../harness/postgres/cluster.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const READY = /Waybill is ready at (\S+)/;

export interface ServedNode {
  /** Of its first process, which starts the others. */
  pid: number;
  address: string;
  stop(): Promise<void>;
}

export interface ServedNodes {
  nodes: readonly ServedNode[];
  stop(): Promise<void>;
}

export interface NodesToServe {
  count: number;
  /** WAYBILL_WORKERS of each. */
  workers: number;
  settings: Record<string, string>;
  /** For data folders and logs. */
  folder: string;
  undo: UndoList;
}

export async function serveNodes({ count, workers, settings, folder, undo }: NodesToServe): Promise<ServedNodes> {
  const nodes = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const own = {
        ...settings,
        WAYBILL_WORKERS: String(workers),
        WAYBILL_DATA_DIR: path.join(folder, `node-${index + 1}`),
      };
      const child = spawnNode(own, path.join(folder, `node-${index + 1}.log`));
      undo.push(() => stop(child));
      return { pid: child.pid ?? 0, address: await waitUntilReady(child), stop: () => stop(child) };
    }),
  );
  return {
    nodes,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}

function spawnNode(settings: Record<string, string>, logFile: string): ChildProcess {
  return spawn(process.execPath, [MAIN, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', ...settings, WAYBILL_PORT: '0', WAYBILL_DRAIN_SECONDS: '0' },
    stdio: ['ignore', openSync(logFile, 'a'), 'pipe'],
  });
}

async function waitUntilReady(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    const [, address] = READY.exec(said) ?? [];
    if (address !== undefined) {
      // What it says later must not fill the pipe.
      child.stderr?.resume();
      return address;
    }
  }
  throw new Error(`a node ended: ${said}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
