import { expect, test } from 'vitest';
import { matchShortcut } from './shortcuts.ts';

const SHORTCUTS = [{ keys: ['/'] as const }, { keys: ['g', 'o'] as const }, { keys: ['o'] as const }];

test('a sequence of two keys takes precedence over the second key alone', () => {
  expect(matchShortcut(SHORTCUTS, { key: 'o', before: 'g' })?.keys).toEqual(['g', 'o']);
  expect(matchShortcut(SHORTCUTS, { key: 'o', before: 'x' })?.keys).toEqual(['o']);
  expect(matchShortcut(SHORTCUTS, { key: 'g', before: null })).toBeUndefined();
});
