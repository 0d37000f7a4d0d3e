import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toAnswerText, toRetryAfterText } from './answer-text.ts';

test('an ordinary answer is stored unchanged', () => {
  const text = '{"received": true}\r\n\t<b>ünïcode 🚚</b>';
  expect(toAnswerText(Buffer.from(text))).toBe(text);
});

test('any bytes become valid text without NUL, escape codes or bidirectional marks', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1500 }), (bytes) => {
      const text = toAnswerText(Buffer.from(bytes));
      expect(text.isWellFormed()).toBe(true);
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e]/);
    }),
  );
  expect(toAnswerText(Buffer.from('a\0b\u001b[31mred\u202edne'))).toBe('ab␛[31mred\ufffddne');
});

test('at most 1 KiB is stored, and a character cut by the limit is left out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 400, maxLength: 600 }), fc.nat({ max: 3 }), (text, shift) => {
      const safe = `${'x'.repeat(shift)}${text}`.replaceAll(
        /[^\P{Cc}\t\n\r]|[\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
        '',
      );
      const kept = toAnswerText(Buffer.from(safe));
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(1024);
      expect(safe.startsWith(kept)).toBe(true);
      expect(Buffer.byteLength(kept)).toBeGreaterThan(Math.min(Buffer.byteLength(safe), 1024) - 4);
    }),
  );
});

test('Retry-After is stored as short text for any value', () => {
  expect(toRetryAfterText(null)).toBeNull();
  expect(toRetryAfterText('120')).toBe('120');
  expect(toRetryAfterText('Wed, 21 Oct 2026 07:28:00 GMT')).toBe('Wed, 21 Oct 2026 07:28:00 GMT');
  expect(toRetryAfterText('9'.repeat(5000))).toHaveLength(128);
});
