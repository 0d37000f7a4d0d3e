import { describe, expect, test } from 'vitest';
import { readAnswerHead } from './answer-head.ts';

const read = (fields: string, status = 200, version = '1.1') =>
  readAnswerHead([`HTTP/${version} ${status} Some`, ...fields.split('|')].join('\r\n'), status);

const EMPTY = 'Content-Length: 0';

describe('where the body ends', () => {
  test.each([
    ['content-length: 12', { by: 'length', length: 12 }],
    ['CONTENT-LENGTH:0007', { by: 'length', length: 7 }],
    ['transfer-encoding: chunked', { by: 'chunks' }],
    ['Transfer-Encoding:\tChunked ', { by: 'chunks' }],
    ['date: now', { by: 'close' }],
    ['x-content-length: 3', { by: 'close' }],
  ])('%s', (fields, framing) => {
    expect(read(fields)).toMatchObject({ framing });
  });

  test.each([101, 204, 304])('immediately with status %i, regardless of its headers', (status) => {
    expect(read('content-length: 9', status)).toMatchObject({ framing: { by: 'length', length: 0 } });
    expect(read('transfer-encoding: chunked', status)).toMatchObject({ framing: { by: 'length', length: 0 } });
  });
});

test.each([
  'content-length: 1|content-length: 1',
  'content-length: 1|content-length: 2',
  'content-length: 1, 1',
  'content-length: +1',
  'content-length: -1',
  'content-length: 0x10',
  'content-length: 1e3',
  'content-length: 9999999999999999',
  'content-length:',
  'content-length: 5|transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding: chunked|transfer-encoding: chunked',
  'transfer-encoding: identity',
  'content-length : 5',
  ' content-length: 5',
  'x: y|\tcontinued: here',
  ': nameless',
  'no colon at all',
  'no colon|x: y',
])('ambiguous, and therefore not trusted: %s', (fields) => {
  expect(read(fields)).toBeNull();
});

describe('how long an idle connection is kept', () => {
  test.each([
    ['nothing said', EMPTY, 4000],
    ['kept on purpose', `${EMPTY}|connection: keep-alive`, 4000],
    ['announced', `${EMPTY}|Keep-Alive: timeout=5, max=100`, 4000],
    ['announced short', `${EMPTY}|keep-alive: timeout=2`, 1000],
    ['announced long', `${EMPTY}|keep-alive: max=7, timeout=3600`, 15_000],
    ['announced as nothing', `${EMPTY}|keep-alive: timeout=1`, null],
    ['announced as nonsense', `${EMPTY}|keep-alive: soon`, 4000],
    ['to be closed', `${EMPTY}|connection: close`, null],
    ['to be closed, among others', `${EMPTY}|connection: x-foo , CLOSE`, null],
    ['to be closed, in a second line', `${EMPTY}|connection: x-foo|connection: close`, null],
    ['a word that only resembles it', `${EMPTY}|connection: closed`, 4000],
    ['handed to another protocol', `${EMPTY}|connection: upgrade`, null],
    ['a body that ends with it', 'x: y', null],
  ])('%s', (_name, fields, idleMs) => {
    expect(read(fields)).toMatchObject({ idleMs });
  });

  test('HTTP/1.0 and an upgrade end the connection', () => {
    expect(read(EMPTY, 200, '1.0')).toMatchObject({ idleMs: null });
    expect(read(EMPTY, 101)).toMatchObject({ idleMs: null });
  });
});

test('Retry-After is read, using the first of several', () => {
  expect(read(`${EMPTY}|Retry-After:  120 |retry-after: 7`)).toMatchObject({ retryAfter: '120' });
  expect(read(EMPTY)).toMatchObject({ retryAfter: null });
});

test('a head may consist of only the status line', () => {
  expect(readAnswerHead('HTTP/1.1 200', 200)).toEqual({ framing: { by: 'close' }, idleMs: null, retryAfter: null });
});
