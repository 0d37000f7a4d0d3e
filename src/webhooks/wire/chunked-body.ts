// Decodes a chunked body, however its bytes are split across reads. The reader enforces the size limits.
import { LINE_END } from './answer-head.ts';

/** Chunk extensions are ignored. */
const SIZE_LINE = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i;

type Part = 'size' | 'data' | 'end of data' | 'trailer';

export class ChunkedBody {
  /** The number of bytes after the end of the body, once that is reached. */
  leftover = 0;
  #part: Part = 'size';
  #left = 0;
  #held: Buffer | null = null;

  /** Passes each piece of the body to `keep`. */
  read(bytes: Buffer, keep: (piece: Buffer) => void): 'more' | 'whole' | 'broken' {
    let rest = this.#held === null ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = null;
    for (;;) {
      if (this.#part === 'data') {
        const piece = rest.subarray(0, this.#left);
        if (piece.length > 0) keep(piece);
        this.#left -= piece.length;
        rest = rest.subarray(piece.length);
        if (this.#left > 0) return 'more';
        this.#part = 'end of data';
      }
      const end = rest.indexOf(LINE_END, 0, 'latin1');
      if (end < 0) {
        // Copied, because the read buffer is shared by all connections.
        this.#held = Buffer.from(rest);
        return 'more';
      }
      const line = rest.toString('latin1', 0, end);
      rest = rest.subarray(end + LINE_END.length);
      if (this.#part === 'trailer' && line === '') {
        this.leftover = rest.length;
        return 'whole';
      }
      if (!this.#passLine(line)) return 'broken';
    }
  }

  #passLine(line: string): boolean {
    if (this.#part === 'trailer') return true;
    if (this.#part === 'end of data') {
      this.#part = 'size';
      return line === '';
    }
    const size = SIZE_LINE.exec(line)?.[1];
    if (size === undefined) return false;
    this.#left = Number.parseInt(size, 16);
    this.#part = this.#left === 0 ? 'trailer' : 'data';
    return true;
  }
}
