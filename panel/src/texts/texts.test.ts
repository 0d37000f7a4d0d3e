// All visible text is in the catalog: components contain none.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';

const SOURCES = path.join(import.meta.dirname, '..');
/** Attributes that are shown or read out. */
const READ_OUT = new Set(['aria-label', 'title', 'alt', 'placeholder', 'label', 'hint', 'description', 'text']);
/** A word, rather than punctuation such as a slash or a dot. */
const WORD = /\p{L}{2,}/u;

function findTexts(code: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const part of node) visit(part);
    } else if (isNode(node)) {
      const text = textOf(node);
      if (text !== undefined && WORD.test(text)) found.push(text.trim());
      for (const part of Object.values(node)) visit(part);
    }
  };
  visit(parseAst(code, { lang: 'tsx' }).body);
  return found;
}

interface SyntaxNode {
  type: string;
  value?: unknown;
  name?: unknown;
  expression?: unknown;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'JSXText') return String(node.value);
  if (node.type === 'JSXExpressionContainer') return literalOf(node.expression);
  if (node.type !== 'JSXAttribute' || !isNode(node.name) || !READ_OUT.has(String(node.name.name))) return undefined;
  const value = isNode(node.value) && node.value.type === 'JSXExpressionContainer' ? node.value.expression : node.value;
  return literalOf(value);
}

function literalOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

const FILES = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));

test('the search finds text between tags, in braces and in attributes that screen readers announce', () => {
  const code = `const a = <p aria-label="Close it" className="text-ink">Hello {'World'} / <b>{name}</b></p>;`;
  expect(findTexts(code).toSorted()).toEqual(['Close it', 'Hello', 'World']);
});

test('components contain no hard-coded text', () => {
  expect(FILES.length).toBeGreaterThan(30);
  const texts = FILES.flatMap((file) =>
    findTexts(readFileSync(path.join(SOURCES, file), 'utf8')).map((text) => `${file}: ${text}`),
  );
  expect(texts).toEqual([]);
});
