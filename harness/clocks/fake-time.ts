// libfaketime: a wall clock for child processes that can be set while they run. Uses the installed library if there is
// one; otherwise downloads it from Debian into the run's folder, without installing it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface FakeTime {
  env: Record<string, string>;
  /** Offset from real time, in seconds. */
  set(seconds: number): void;
}

const LIBRARY = 'libfaketime.so.1';
const INSTALLED_UNDER = ['/usr/lib', '/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64'];

/** Returns the reason as a string if libfaketime is unavailable. */
export function fetchFakeTime(folder: string): FakeTime | string {
  mkdirSync(folder, { recursive: true });
  const library = findInstalled() ?? fetchLibrary(folder);
  if (library === undefined) return 'libfaketime is not installed and could not be fetched by apt-get';
  const file = path.join(folder, 'now');
  const set = (seconds: number): void => writeFileSync(file, seconds < 0 ? String(seconds) : `+${seconds}`);
  set(0);
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  const fakeTime = { env, set };
  return hasEffect(fakeTime) ? fakeTime : 'libfaketime has no effect on this Node';
}

function findInstalled(): string | undefined {
  return INSTALLED_UNDER.map((folder) => path.join(folder, 'faketime', LIBRARY)).find((file) => existsSync(file));
}

function fetchLibrary(folder: string): string | undefined {
  if (!download(folder)) {
    // A fresh machine has no package list, and only root may fetch it.
    if (process.getuid?.() !== 0 || !isDone('apt-get', ['update'], folder) || !download(folder)) return undefined;
  }
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '';
  if (!isDone('dpkg-deb', ['-x', archive, '.'], folder)) return undefined;
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(LIBRARY));
  return found === undefined ? undefined : path.join(folder, found);
}

function download(folder: string): boolean {
  return isDone('apt-get', ['download', 'libfaketime'], folder);
}

function isDone(program: string, args: readonly string[], cwd: string): boolean {
  try {
    execFileSync(program, args, { cwd, stdio: 'ignore', timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

function hasEffect({ env, set }: FakeTime): boolean {
  const aheadSeconds = 10_000;
  set(aheadSeconds);
  try {
    const seen = execFileSync(process.execPath, ['-p', 'Date.now()'], { env: { ...process.env, ...env } }).toString();
    return Number(seen) - Date.now() > (aheadSeconds * 1_000) / 2;
  } catch {
    return false;
  } finally {
    set(0);
  }
}
