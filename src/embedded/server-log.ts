// The server writes to `<dataDir>/postgres.log` itself, so that it keeps logging after the service was killed. The
// previous run's log is kept as `postgres.log.1`.
import { constants } from 'node:fs';
import { copyFile, open, readFile, rename, stat, truncate, type FileHandle } from 'node:fs/promises';

const MAX_LOG_BYTES = 16 * 1024 * 1024;
const CHECK_INTERVAL_MS = 60_000;
const MAX_REASON_LENGTH = 300;

export async function openServerLog(file: string): Promise<FileHandle> {
  await rename(file, `${file}.1`).catch(() => undefined);
  // O_APPEND makes it safe to truncate the file while the server writes to it.
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  return open(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
}

/** Keeps the log from filling the disk. Returns a function that ends the watch. */
export function limitServerLog(file: string): () => void {
  const timer = setInterval(() => void rotateLargeLog(file), CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export async function rotateLargeLog(file: string, maxBytes = MAX_LOG_BYTES): Promise<void> {
  try {
    if ((await stat(file)).size <= maxBytes) return;
    await copyFile(file, `${file}.1`);
  } catch {
    // There is no log, or no room for the copy. Truncate anyway, because that matters most when the disk is full.
  }
  if ((await sizeOf(file)) > maxBytes) await truncate(file).catch(() => undefined);
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.size,
    () => 0,
  );
}

/** The reason that the server logged for not starting. */
export async function readFailure(file: string): Promise<string> {
  const text = (await readFile(file, 'utf8').catch(() => '')).trim();
  const line = text.split('\n').findLast((candidate) => /(FATAL|PANIC):/.test(candidate));
  // Messages from before the server has read its settings have no severity and may span several lines.
  const reason = line?.replace(/^.*(FATAL|PANIC):\s*/, '') ?? text.replaceAll(/\s+/g, ' ').slice(-MAX_REASON_LENGTH);
  return reason === '' ? 'no reason was logged' : reason;
}
