// Shows the progress of a long run.

/** Overwrites a single line on a terminal; prints separate lines elsewhere. */
export function createProgress(): { show(text: string): void; end(): void } {
  const startedAtMs = performance.now();
  let last = '';
  const isTerminal = process.stdout.isTTY;
  return {
    show(text) {
      if (text === last) return;
      last = text;
      const line = `${String(Math.round((performance.now() - startedAtMs) / 1_000)).padStart(4)} s  ${text}`;
      process.stdout.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`);
    },
    end() {
      if (isTerminal) process.stdout.write('\r\u001b[K');
    },
  };
}
