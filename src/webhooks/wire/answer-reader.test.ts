import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnswerReader, type Progress } from './answer-reader.ts';

/** Feeds the bytes in pieces cut at these places until the reader is done. All pieces share one reused buffer. */
function readInPieces(bytes: Buffer, cuts: readonly number[]): { answer: AnswerReader; progress: Progress } {
  const answer = new AnswerReader();
  const edges = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  let progress: Progress = 'more';
  let start = 0;
  const memory = Buffer.alloc(bytes.length);
  for (const end of edges) {
    bytes.copy(memory, 0, start, end);
    if (end > start && progress === 'more') progress = answer.read(memory.subarray(0, end - start));
    start = Math.max(start, end);
    memory.fill('!');
  }
  return { answer, progress };
}

const anyCuts = fc.array(fc.nat(), { maxLength: 8 });
const read = (text: string) => readInPieces(Buffer.from(text, 'latin1'), []);

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';

describe('for any split of the bytes', () => {
  const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n';
  test.each([
    { name: 'a plain answer is whole', wire: NO_CONTENT, status: 204, progress: 'whole' },
    { name: 'interim answers are dropped', wire: HINTS.repeat(3) + NO_CONTENT, status: 204, progress: 'whole' },
    { name: 'a status needs no reason', wire: 'HTTP/1.0 299\r\n\r\nfine', status: 299, progress: 'more' },
    { name: 'an unfinished head has its status', wire: `${OK}x-a: b`, status: 200, progress: 'more' },
    { name: 'interim answers alone have none', wire: HINTS, status: null, progress: 'more' },
    { name: 'an upgrade is final', wire: 'HTTP/1.1 101 Switching\r\n\r\n', status: 101, progress: 'whole' },
    { name: 'another protocol is broken', wire: 'SSH-2.0-OpenSSH_9.9\r\n', status: 0, progress: 'broken' },
    { name: 'four digits are no status', wire: 'HTTP/1.1 2000 OK\r\n\r\n', status: 0, progress: 'broken' },
    { name: 'a doubtful length', wire: `${OK}content-length: +1\r\n\r\na`, status: 200, progress: 'broken' },
    { name: 'a doubtful chunk', wire: `${CHUNKED}1g\r\n`, status: 200, progress: 'broken' },
    { name: 'a chunk that is longer than it says', wire: `${CHUNKED}1\r\nab\r\n`, status: 200, progress: 'broken' },
  ])('$name', ({ wire, status, progress }) => {
    fc.assert(
      fc.property(anyCuts, (cuts) => {
        const seen = readInPieces(Buffer.from(wire, 'latin1'), cuts);
        expect({ status: seen.answer.status, progress: seen.progress }).toEqual({ status, progress });
      }),
    );
  });

  test('a body with a length is read to its end and no further', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), anyCuts, (body, cuts) => {
        const head = Buffer.from(`${OK}Content-Length: ${body.length}\r\n\r\n`);
        const { answer, progress } = readInPieces(Buffer.concat([head, body]), cuts);
        expect(progress).toBe('whole');
        expect(answer.isClean).toBe(true);
        expect(answer.body ?? Buffer.alloc(0)).toEqual(Buffer.from(body));
      }),
    );
  });

  test('a chunked body is reassembled without extensions and trailers', () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { maxLength: 5 });
    fc.assert(
      fc.property(chunks, fc.constantFrom('', 'x: y\r\n', 'a: b\r\nc: d\r\n'), anyCuts, (pieces, trailers, cuts) => {
        const framed = pieces.flatMap((piece) => [`${piece.length.toString(16)};ext=1\r\n`, piece, '\r\n']);
        const wire = [CHUNKED, ...framed, `0\r\n${trailers}\r\n`].map((part) => Buffer.from(part as Uint8Array));
        const { answer, progress } = readInPieces(Buffer.concat(wire), cuts);
        expect(progress).toBe('whole');
        expect(answer.isClean).toBe(true);
        expect(answer.body ?? Buffer.alloc(0)).toEqual(Buffer.concat(pieces));
      }),
    );
  });

  test('random bytes never throw and never change a status already read', () => {
    const openings = fc.constantFrom('', OK, CHUNKED, `${OK}content-length: 5\r\n\r\n`, 'HTTP/1.1 100 C\r\n\r\n');
    fc.assert(
      fc.property(openings, fc.uint8Array({ maxLength: 300 }), anyCuts, (opening, noise, cuts) => {
        const { answer } = readInPieces(Buffer.concat([Buffer.from(opening), noise]), cuts);
        if (opening.startsWith(OK)) expect(answer.status).toBe(200);
      }),
    );
  });
});

test.each([
  ['a length', `${OK}content-length: 2\r\n\r\nab`],
  ['chunks', `${CHUNKED}2\r\nab\r\n0\r\n\r\n`],
  ['no body', NO_CONTENT],
])('bytes after an answer with %s make the connection unclean', (_name, wire) => {
  expect(read(wire)).toMatchObject({ progress: 'whole', answer: { isClean: true } });
  expect(read(`${wire}H`)).toMatchObject({ progress: 'whole', answer: { isClean: false } });
});

test.each([
  ['interim answers', 'HTTP/1.1 103 Early Hints\r\n\r\n', null],
  ['headers', `${OK}x: y`, 200],
  ['a body until close', `${OK}\r\n`, 200],
  ['a body with a length', `${OK}content-length: 99999999\r\n\r\n`, 200],
  ['chunk extensions', `${CHUNKED}1`, 200],
  ['trailers', `${CHUNKED}0\r\n`, 200],
])('%s without end exceed the size limit', (_name, opening, status) => {
  const answer = new AnswerReader();
  const more = Buffer.from(status === null ? opening.repeat(99) : ';a=b: c'.repeat(99));
  let progress = answer.read(Buffer.from(opening));
  while (progress === 'more' && answer.byteCount < 1_000_000) progress = answer.read(more);
  expect(progress).toBe('too much');
  expect(answer.byteCount).toBeLessThan(70_000);
  expect(answer.status).toBe(status);
});

test('line endings that are invalid in HTTP fail at once', () => {
  expect(read('HTTP/1.1 200 OK\ncontent-length: 0\n\n')).toMatchObject({ progress: 'broken', answer: { status: 200 } });
});
