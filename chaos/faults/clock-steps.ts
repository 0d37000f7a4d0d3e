// The machine's wall clock is set forward and back by an hour, for nodes and receivers alike, by libfaketime.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';

// In seconds of the world; the service's own clock hurries, so that each is an hour to it. What was born while it was
// ahead waits until it has caught up again.
const STEPS = ['-60', '+0', '+60', '+0'];
/** libfaketime looks at its file once a second. */
const NOTICED_MS = 1_500;

export interface FakeTime {
  env: Record<string, string>;
  set(step: string): void;
}

/** Fetched from Debian into the run's own folder; nothing is installed. */
export function fetchFakeTime(folder: string): FakeTime | undefined {
  try {
    mkdirSync(folder, { recursive: true });
    execFileSync('apt-get', ['download', 'libfaketime'], { cwd: folder, stdio: 'ignore', timeout: 60_000 });
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '';
    execFileSync('dpkg-deb', ['-x', archive, '.'], { cwd: folder, stdio: 'ignore' });
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('libfaketime.so.1'),
    );
    if (found === undefined) return undefined;
    const file = path.join(folder, 'now');
    writeFileSync(file, '+0');
    return {
      env: {
        LD_PRELOAD: path.join(folder, found),
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_CACHE_DURATION: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
      },
      set: (step) => writeFileSync(file, step),
    };
  } catch {
    return undefined;
  }
}

export function createClockSteps(fakeTime: FakeTime | undefined): Fault {
  return {
    name: 'clock steps of an hour',
    isKill: false,
    findObstacle: () =>
      fakeTime === undefined ? 'libfaketime could not be fetched (apt-get and a network are needed)' : undefined,
    async run(stage, { times, onDone }) {
      const from = Date.now();
      for (let count = 0; count < times; count += 1) {
        for (const step of STEPS) {
          fakeTime?.set(step);
          await pause(NOTICED_MS);
        }
        onDone();
      }
      stage.clockSteps.push({ from, to: Date.now() + NOTICED_MS });
    },
  };
}
