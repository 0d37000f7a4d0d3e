// Describes the machine of a measurement; figures mean little without it.
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findBinaries } from '../../src/embedded/binaries.ts';
import { monotonicMs } from './monotonic.ts';
import { median } from './statistics.ts';

export interface Machine {
  cores: number;
  processor: string;
  memoryGib: number;
  /** Time to make a small write durable on this disk: the lower bound for every commit. */
  fdatasyncMs: number;
  node: string;
  postgres: string;
}

const WRITES = 100;
const WRITE_BYTES = 8192;

export async function describeMachine(): Promise<Machine> {
  const { postgres } = await findBinaries();
  const { stdout } = await promisify(execFile)(postgres, ['--version']);
  return {
    cores: availableParallelism(),
    processor: `${cpus()[0]?.model.trim() ?? 'unknown'}, ${process.arch}`,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    fdatasyncMs: await timeDurableWrite(),
    node: process.version.slice(1),
    postgres: /[\d.]+/.exec(stdout)?.[0] ?? 'unknown',
  };
}

export function showMachine(machine: Machine): string {
  const { cores, processor, memoryGib, fdatasyncMs, node, postgres } = machine;
  return (
    `${cores} cores (${processor}), ${memoryGib} GiB of memory, ${fdatasyncMs.toFixed(2)} ms for an fdatasync, ` +
    `Node ${node}, PostgreSQL ${postgres}. Everything runs on that machine: service, database, receivers, generator.`
  );
}

/** Writes to the temporary folder, which also holds the bench's databases. */
async function timeDurableWrite(): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-bench-disk-'));
  try {
    const file = await open(path.join(folder, 'written'), 'w');
    const block = Buffer.alloc(WRITE_BYTES, 1);
    const tookMs: number[] = [];
    for (let index = 0; index < WRITES; index += 1) {
      const startedAtMs = monotonicMs();
      await file.write(block, 0, block.length, index * WRITE_BYTES);
      await file.datasync();
      tookMs.push(monotonicMs() - startedAtMs);
    }
    await file.close();
    return median(tookMs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
