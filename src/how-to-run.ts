// How a person runs a command of this installation, for messages.
import path from 'node:path';

/** A checkout runs TypeScript; the installed package contains JavaScript. */
const PREFIX = path.extname(import.meta.filename) === '.ts' ? 'npm run waybill --' : 'npx waybill';

export function howToRun(command: string): string {
  return `${PREFIX} ${command}`;
}
