// The log: one JSON object per line. Lines are buffered for up to 250 ms and written in large blocks, because on a busy
// node writing each line separately would cost more than creating it.
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { systemClock, type Log, type LogLine } from '../platform.ts';

export interface OpenLog {
  log: Log;
  /** Writes the buffered lines. */
  close(): Promise<void>;
}

/** Pino's level numbers, which log tools understand. */
const LEVELS = { info: 30, warn: 40, error: 50 };

const FLUSH_INTERVAL_MS = 250;
const FLUSH_CHARACTERS = 64 * 1024;
/** If the reader stops reading, lines beyond this are dropped so that they do not fill the memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Passes each line to `write`, with its level, its time and a line break. */
export function createLog(write: (line: string) => void): Log {
  const writeAs = (level: number, text: string): void =>
    write(`{"level":${level},"time":${systemClock.now()},${text.slice(1)}\n`);
  return {
    info: (line) => writeAs(LEVELS.info, JSON.stringify(line)),
    warn: (line) => writeAs(LEVELS.warn, stringifyWithErrors(line)),
    error: (line) => writeAs(LEVELS.error, stringifyWithErrors(line)),
  };
}

function stringifyWithErrors(line: LogLine): string {
  return JSON.stringify(line, (_key, value: unknown) =>
    value instanceof Error ? { type: value.name, message: value.message, stack: value.stack } : value,
  );
}

/** To a file, or to an open file descriptor. */
export function openLog(destination: string | number): OpenLog {
  const stream = openStream(destination);
  let lines: string[] = [];
  let characters = 0;
  const flush = (): void => {
    if (lines.length === 0) return;
    if (stream.writableLength < MAX_WAITING_BYTES) stream.write(lines.join(''));
    lines = [];
    characters = 0;
  };
  const timer = setInterval(flush, FLUSH_INTERVAL_MS).unref();
  const write = (line: string): void => {
    lines.push(line);
    characters += line.length;
    if (characters >= FLUSH_CHARACTERS) flush();
  };
  return {
    log: createLog(write),
    async close() {
      clearInterval(timer);
      flush();
      await new Promise<void>((resolve) => stream.end(resolve));
    },
  };
}

function openStream(destination: string | number) {
  if (typeof destination === 'string') mkdirSync(path.dirname(destination), { recursive: true });
  const stream =
    typeof destination === 'string'
      ? createWriteStream(destination, { flags: 'a', mode: 0o600 })
      : createWriteStream('', { fd: destination, autoClose: false });
  // A full disk or a closed reader must not end the service.
  stream.on('error', () => undefined);
  return stream;
}
