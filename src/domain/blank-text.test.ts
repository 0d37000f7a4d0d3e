import { expect, test } from 'vitest';
import { isBlank } from './blank-text.ts';

const BLANKS = [
  '',
  ' ',
  '\t',
  '\u00a0',
  '\u1680',
  '\u2003',
  '\u2028',
  '\u3000',
  '\u200b',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u061c',
  '\u180e',
  '\u115f',
  '\u3164',
  '\uffa0',
  '\u2800',
  '\ufe0f',
  '\u{e0020}',
  ' \u200b\u3000 ',
];

test.each(BLANKS.map((text) => [JSON.stringify(text), text]))('%j is blank', (_, text) => {
  expect(isBlank(text)).toBe(true);
});

test.each(['a', '0', ' a ', '\u200ba', '\u3164x', '中', '👩‍🍳', 'ـ', '-', '_', '.', '\u0301a'])(
  '%j is not blank',
  (text) => {
    expect(isBlank(text)).toBe(false);
  },
);
