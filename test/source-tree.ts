// The files of the repository and their imports, for the tests of the house rules.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

export function listFiles(folder: string, ending: RegExp): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.split(path.sep).includes('node_modules'));
}

export function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** Comments and strings do not count as code. */
export function codeOf(file: string): string {
  return read(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '');
}

export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);

export interface Import {
  target: string;
  isTypeOnly: boolean;
}

/** What a file imports: values or types, statically or dynamically. */
export function listImports(file: string): Import[] {
  const code = codeOf(file);
  const specifiers = [
    ...code.matchAll(/(?:^|\n)(?:import|export)\s(type\s)?[^;'"]*?\bfrom\s+'(\.[^']+)'/g),
    ...code.matchAll(/(?:^|\n)import\s()'(\.[^']+)'/g),
    ...code.matchAll(/\bimport\(()\s*'(\.[^']+)'\s*\)/g),
  ];
  return specifiers.map(([, type, specifier = '']) => ({
    target: path.relative(ROOT, path.resolve(ROOT, path.dirname(file), specifier)),
    isTypeOnly: type !== undefined && type !== '',
  }));
}

export function importsOf(file: string): string[] {
  return listImports(file).map(({ target }) => target);
}

/** Each cycle in the graph, as the set of its nodes. */
export function findRings(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const follow = (node: string): void => {
    const begin = way.indexOf(node);
    if (begin !== -1) found.push([...way.slice(begin), node]);
    if (begin !== -1 || done.has(node)) return;
    way.push(node);
    for (const next of arrows.get(node) ?? []) follow(next);
    way.pop();
    done.add(node);
  };
  for (const node of arrows.keys()) follow(node);
  return found;
}
