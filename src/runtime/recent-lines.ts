// The end of a log file, without reading all of it.
import { open, type FileHandle } from 'node:fs/promises';

/** Undefined if the file does not exist. The first line is left out if it may not be whole. */
export async function readRecentLines(file: string, maxBytes: number): Promise<string[] | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    return (size > length ? lines.slice(1) : lines).filter((line) => line !== '');
  } finally {
    await handle.close();
  }
}
