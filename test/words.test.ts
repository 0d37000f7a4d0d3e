// Everything that people read uses the trade's words and one spelling.
import path from 'node:path';
import { expect, test } from 'vitest';
import { listFiles, read } from './source-tree.ts';
import { BANNED_WORDS, FIXED_NAMES, type BannedWord } from './word-list.ts';

const FOLDERS = [
  '.ci',
  'bench',
  'chaos',
  'city',
  'deploy',
  'docs',
  'failover',
  'harness',
  'panel',
  'scripts',
  'src',
  'test',
];
const AT_ROOT = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'package.json', 'vitest.config.ts'];
const READABLE = /^run$|\.(ts|tsx|mjs|js|md|html|css|py|php|java|cs|webmanifest|yml)$/;
const GENERATED = ['panel/dist', 'bench/results'].map((folder) => path.normalize(`${folder}/`));
const LIST = path.join('test', 'word-list.ts');

const FILES = [...FOLDERS.flatMap((folder) => listFiles(folder, READABLE)), ...AT_ROOT].filter(
  (file) => file !== LIST && !GENERATED.some((folder) => file.startsWith(folder)),
);

const FIXED = new RegExp(FIXED_NAMES.map(({ name }) => name).join('|'), 'g');

/** The words of a text in lower case, those of identifiers and file names too. */
function wordsOf(text: string): string {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase();
}

function findIn(text: string, { pattern, isVerbatim }: BannedWord): string | undefined {
  return pattern.exec(isVerbatim ? text : wordsOf(text))?.[0].trim();
}

/** Each finding as `file:line: "word": write … instead`. Line 0 is the file's name. */
function findBanned(file: string, content: string): string[] {
  const text = `${file}\n${content.replaceAll(FIXED, 'fixed')}`;
  const words = wordsOf(text);
  const suspects = BANNED_WORDS.filter(({ pattern, isVerbatim }) => pattern.test(isVerbatim ? text : words));
  if (suspects.length === 0) return [];
  return text.split('\n').flatMap((line, number) =>
    suspects.flatMap((word) => {
      const found = findIn(line, word);
      return found === undefined ? [] : [`${file}:${number}: "${found}": write ${word.instead} instead`];
    }),
  );
}

test('control: there are enough entries and files', () => {
  expect(BANNED_WORDS.length).toBeGreaterThanOrEqual(40);
  expect(FILES.length).toBeGreaterThan(1_300);
  for (const folder of FOLDERS) expect(FILES.some((file) => file.startsWith(folder))).toBe(true);
});

test.each(BANNED_WORDS)('control: "$sample" is found in a text and in a file name', (word) => {
  const { sample, innocent = '', instead } = word;
  const finding = (at: string) =>
    new RegExp(String.raw`^${RegExp.escape(at)}: ".+": write ${RegExp.escape(instead)} instead$`);
  expect(findBanned('a.ts', `// fine\n${sample}`)).toContainEqual(expect.stringMatching(finding('a.ts:2')));
  expect(findBanned(sample, '')).toContainEqual(expect.stringMatching(finding(`${sample}:0`)));
  expect(findIn(innocent, word)).toBeUndefined();
});

test('a fixed name is still in the schema or in an answer', () => {
  expect(FIXED_NAMES.filter((fixed) => !read(fixed.in).includes(fixed.name))).toEqual([]);
});

test('no banned word is used', () => {
  expect(FILES.flatMap((file) => findBanned(file, read(file)))).toEqual([]);
});
