// Progress of a long run.

/** One line that is written over where there is a terminal, plain lines elsewhere. */
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
