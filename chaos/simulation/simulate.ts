// Runs many seeds on all cores and collects the results.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Mistake } from './mistakes.ts';
import type { SeedReport } from './run-seed.ts';
import type { SeedRequest } from './simulation-worker.ts';

export interface SimulationOptions {
  seeds: Iterable<number>;
  mistakes?: Mistake[];
  /** Stops early once this many seeds have failed. */
  enough?: number;
  onReport?: (report: SeedReport, done: number) => void;
}

export interface SimulationSummary {
  seeds: number;
  attempts: number;
  duplicates: number;
  simulatedDays: number;
  failed: SeedReport[];
}

const DAY_MS = 86_400_000;

export async function simulate(options: SimulationOptions): Promise<SimulationSummary> {
  const seeds = options.seeds[Symbol.iterator]();
  const summary: SimulationSummary = { seeds: 0, attempts: 0, duplicates: 0, simulatedDays: 0, failed: [] };
  const count = (report: SeedReport): void => {
    summary.seeds += 1;
    summary.attempts += report.attempts;
    summary.duplicates += report.duplicates;
    summary.simulatedDays += report.simulatedMs / DAY_MS;
    if (report.violations.length > 0) summary.failed.push(report);
    options.onReport?.(report, summary.seeds);
  };
  const next = (): number | undefined => {
    if (summary.failed.length >= (options.enough ?? Number.POSITIVE_INFINITY)) return undefined;
    const { value, done } = seeds.next();
    return done === true ? undefined : value;
  };
  await Promise.all(Array.from({ length: availableParallelism() }, () => work(next, options.mistakes ?? [], count)));
  return summary;
}

async function work(
  next: () => number | undefined,
  mistakes: Mistake[],
  count: (report: SeedReport) => void,
): Promise<void> {
  const worker = new Worker(new URL('simulation-worker.ts', import.meta.url));
  try {
    for (let seed = next(); seed !== undefined; seed = next()) {
      const request: SeedRequest = { seed, mistakes };
      worker.postMessage(request, []);
      count(
        await new Promise<SeedReport>((resolve, reject) => {
          worker.once('message', resolve);
          worker.once('error', reject);
        }),
      );
      worker.removeAllListeners('error');
    }
  } finally {
    await worker.terminate();
  }
}

export function* countFrom(first: number, length: number): Generator<number> {
  for (let index = 0; index < length; index += 1) yield first + index;
}
