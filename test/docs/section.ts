// Parts of the documentation that are generated from code. A test compares them; UPDATE_DOCS=1 makes it write them.
import { readFileSync, writeFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

export function readDoc(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8');
}

/** Returns the text between the marks `name` in a file. With UPDATE_DOCS=1, first replaces it with `wanted`. */
export function readSection(file: string, name: string, wanted: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->\n`, `<!-- ${name}: end -->`];
  const text = readDoc(file);
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end, from);
  if (from < begin.length || to < 0) throw new Error(`${file} has no section ${name}`);
  if (isUpdating() && text.slice(from, to) !== wanted) {
    writeFileSync(new URL(file, ROOT), text.slice(0, from) + wanted + text.slice(to));
    return wanted;
  }
  return text.slice(from, to);
}

export function isUpdating(): boolean {
  return process.env['UPDATE_DOCS'] === '1';
}
