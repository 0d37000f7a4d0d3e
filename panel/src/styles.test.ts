// Every text color reaches the WCAG AA contrast on every background, in both themes.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const CSS = readFileSync(path.join(import.meta.dirname, 'styles.css'), 'utf8');
const MIN_CONTRAST = 4.5;
const GROUNDS = ['canvas', 'surface', 'raised', 'sunken', 'hover'];
const TEXTS = ['ink', 'ink-soft', 'ink-faint', 'accent', 'danger', 'warn', 'good'];
const STATES = [
  'new',
  'validated',
  'routed',
  'assigned',
  'accepted',
  'prepared',
  'on-delivery',
  'delivered',
  'canceled',
];

function colorsOf(selector: string): Map<string, string> {
  const block = CSS.slice(CSS.indexOf(`${selector} {`)).split('}')[0] ?? '';
  return new Map([...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6})/g)].map(([, name = '', color = '']) => [name, color]));
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test.each([
  ['light', ':root'],
  ['dark', ":root[data-theme='dark']"],
])('%s: every text color is readable on every background', (_, selector) => {
  const colors = colorsOf(selector);
  const color = (name: string): string => colors.get(name) ?? '';
  const texts = [...TEXTS, ...STATES.map((state) => `state-${state}`)];
  expect(texts.filter((name) => color(name) === '')).toEqual([]);
  const weak = texts.flatMap((text) =>
    GROUNDS.map((ground) => ({ text, ground, ratio: contrast(color(text), color(ground)) })).filter(
      ({ ratio }) => ratio < MIN_CONTRAST,
    ),
  );
  expect(weak).toEqual([]);
  expect(contrast(color('on-ink'), color('ink'))).toBeGreaterThan(MIN_CONTRAST);
  expect(contrast(color('on-danger'), color('danger-fill'))).toBeGreaterThan(MIN_CONTRAST);
});

test('no two states share a color', () => {
  for (const selector of [':root', ":root[data-theme='dark']"]) {
    const colors = colorsOf(selector);
    const used = STATES.map((state) => colors.get(`state-${state}`));
    expect(new Set(used).size).toBe(used.length);
  }
});
