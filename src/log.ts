// The log: one JSON object a line. Lines are gathered and leave in large writes, a quarter of a second later at the
// latest, because a write for each line would cost a busy node more than making the line.
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import type { Log } from './platform.ts';

export interface OpenLog {
  log: Log;
  /** Writes what is still waiting. */
  close(): Promise<void>;
}

const FLUSH_INTERVAL_MS = 250;
const FLUSH_CHARACTERS = 64 * 1024;
/** A reader that stopped reading must not fill the memory: beyond this, lines are dropped. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/** To a file, or to an open file descriptor. */
export function openLog(destination: string | number): OpenLog {
  const stream = openStream(destination);
  let lines: string[] = [];
  let characters = 0;
  const flush = (): void => {
    if (lines.length === 0) return;
    if (stream.writableLength < MOST_WAITING_BYTES) stream.write(lines.join(''));
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
    log: pino({ base: null }, { write }),
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
      ? createWriteStream(destination, { flags: 'a' })
      : createWriteStream('', { fd: destination, autoClose: false });
  // A disk that is full, or a reader that is gone, must not end the service.
  stream.on('error', () => undefined);
  return stream;
}
