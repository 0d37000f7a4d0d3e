// A worker thread that runs seeds. It needs its own thread because a simulation replaces every timer.
import { parentPort } from 'node:worker_threads';
import type { Mistake } from './mistakes.ts';
import { runSeed } from './run-seed.ts';

export interface SeedRequest {
  seed: number;
  mistakes: Mistake[];
}

parentPort?.on('message', (request: SeedRequest) => {
  void runSeed(request.seed, new Set(request.mistakes)).then((report) => parentPort?.postMessage(report, []));
});
