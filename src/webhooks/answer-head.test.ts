import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnswerHead } from './answer-head.ts';

function readInPieces(text: string, cuts: readonly number[]): { status: number | null; passed: string } {
  const head = new AnswerHead();
  const bytes = Buffer.from(text, 'latin1');
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  let passed = '';
  for (const [index, end] of edges.entries()) {
    const start = edges[index - 1] ?? 0;
    if (end > start) passed += head.pass(bytes.subarray(start, end))?.toString('latin1') ?? '';
  }
  return { status: head.status, passed };
}

const FINAL = 'HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n';

describe('however the bytes are cut', () => {
  const UPGRADE = 'HTTP/1.1 101 Switching\r\n\r\n';
  const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n';
  const cases = [
    { name: 'a plain answer passes unchanged', before: '', answer: FINAL, status: 204 },
    { name: '100 Continue is dropped', before: 'HTTP/1.1 100 Continue\r\n\r\n', answer: FINAL, status: 204 },
    { name: 'a row of interim answers is dropped', before: HINTS.repeat(3), answer: FINAL, status: 204 },
    { name: 'a status without a reason is read', before: '', answer: 'HTTP/1.0 299\r\n\r\n', status: 299 },
    { name: 'an unfinished head has its status', before: '', answer: 'HTTP/1.1 200 OK\r\nx-a: b', status: 200 },
    { name: 'an upgrade is not interim', before: '', answer: UPGRADE, status: 101 },
    { name: 'what is not HTTP passes without a status', before: '', answer: 'SSH-2.0-OpenSSH_9.9\r\n', status: 0 },
    { name: 'four digits are no status', before: '', answer: 'HTTP/1.1 2000 OK\r\n\r\n', status: 0 },
  ];
  test.each(cases)('$name', ({ before, answer, status }) => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
        expect(readInPieces(before + answer, cuts)).toEqual({ status, passed: answer });
      }),
    );
  });
});

test('interim answers without end are too long, and a long final answer is not', () => {
  const flood = new AnswerHead();
  const piece = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n');
  for (let count = 0; count < 700 && !flood.isTooLong; count += 1) expect(flood.pass(piece)).toBeNull();
  expect(flood.isTooLong).toBe(true);

  const long = new AnswerHead();
  long.pass(Buffer.from(FINAL));
  long.pass(Buffer.alloc(100_000));
  expect(long.isTooLong).toBe(false);
});
