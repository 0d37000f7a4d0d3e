// The codes are read back by a reader written from the standard, independent of how they were drawn.
import { expect, test } from 'vitest';
import { encodeQr } from './qr-encoding.ts';

test('a code has the size of its version, three finders and the dark module', () => {
  const code = encodeQr('WAYBILL');
  expect(code).toHaveLength(21);
  for (const [x, y] of [
    [3, 3],
    [17, 3],
    [3, 17],
  ] as const) {
    const ring = (offset: number): boolean | undefined => code[y]?.[x + offset];
    expect([ring(0), ring(1), ring(2), ring(3)]).toEqual([true, true, false, true]);
  }
  expect(code[13]?.[8]).toBe(true);
});

test('the format says level L and mask 0, in both places', () => {
  const code = encodeQr('WAYBILL');
  const dark = (x: number, y: number): string => (code[y]?.[x] === true ? '1' : '0');
  // 111011111000100 is the published value of level L with mask 0, highest bit first.
  const beside =
    [0, 1, 2, 3, 4, 5, 7, 8].map((x) => dark(x, 8)).join('') + [7, 5, 4, 3, 2, 1, 0].map((y) => dark(8, y)).join('');
  const split =
    [20, 19, 18, 17, 16, 15, 14].map((y) => dark(8, y)).join('') +
    [13, 14, 15, 16, 17, 18, 19, 20].map((x) => dark(x, 8)).join('');
  expect(beside).toBe('111011111000100');
  expect(split).toBe('111011111000100');
});

test.each([1, 17, 60, 120, 150, 200, 270])('%i bytes are read back as they were written', (length) => {
  const text = Array.from({ length }, (_, at) => String.fromCharCode(33 + ((at * 7) % 90))).join('');
  expect(readBack(encodeQr(text))).toBe(text);
});

test('more than fits is refused rather than cut off', () => {
  expect(() => encodeQr('x'.repeat(272))).toThrow(RangeError);
});

/** Blocks for level L, by version: data codewords of each. */
const BLOCKS: Record<number, number[]> = {
  1: [19],
  2: [34],
  3: [55],
  4: [80],
  5: [108],
  6: [68, 68],
  7: [78, 78],
  8: [97, 97],
  9: [116, 116],
  10: [68, 68, 69, 69],
};
const ALIGNED: Record<number, number[]> = {
  1: [],
  2: [18],
  3: [22],
  4: [26],
  5: [30],
  6: [34],
  7: [6, 22, 38],
  8: [6, 24, 42],
  9: [6, 26, 46],
  10: [6, 28, 50],
};

function readBack(code: boolean[][]): string {
  const version = (code.length - 17) / 4;
  const codewords = readCodewords(code, version);
  const blocks = BLOCKS[version] ?? [];
  const dataLength = blocks.reduce((sum, length) => sum + length, 0);
  const dataParts = unravel(codewords, blocks);
  const correctionLength = (codewords.length - dataLength) / blocks.length;
  const corrections = unravel(codewords.slice(dataLength), Array<number>(blocks.length).fill(correctionLength));
  for (const [index, part] of dataParts.entries())
    expectNoErrors([...part, ...(corrections[index] ?? [])], correctionLength);
  const data = dataParts.flat();
  const bits = data.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  expect(bits.slice(0, 4)).toBe('0100');
  const countBits = version < 10 ? 8 : 16;
  const length = Number.parseInt(bits.slice(4, 4 + countBits), 2);
  const bytes = Array.from({ length }, (_, at) =>
    Number.parseInt(bits.slice(4 + countBits + at * 8, 12 + countBits + at * 8), 2),
  );
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** A block without errors is zero at every root of its Reed-Solomon code: 2^0, 2^1, … in the field of 0x11d. */
function expectNoErrors(block: number[], roots: number): void {
  const powers = [1];
  for (let at = 1; at < 255; at++) {
    const doubled = (powers[at - 1] ?? 0) * 2;
    powers.push(doubled > 255 ? doubled ^ 0x11d : doubled);
  }
  const times = (value: number, exponent: number): number =>
    value === 0 ? 0 : (powers[(powers.indexOf(value) + exponent) % 255] ?? 0);
  const syndromes = Array.from({ length: roots }, (_, root) =>
    block.reduce((sum, codeword) => times(sum, root) ^ codeword, 0),
  );
  expect(syndromes).toEqual(Array<number>(roots).fill(0));
}

function unravel(codewords: number[], blocks: number[]): number[][] {
  const longest = Math.max(...blocks);
  const parts: number[][] = blocks.map(() => []);
  let at = 0;
  for (let place = 0; place < longest; place++) {
    for (const [index, length] of blocks.entries()) {
      if (place >= length) continue;
      parts[index]?.push(codewords[at] ?? 0);
      at += 1;
    }
  }
  return parts;
}

function readCodewords(code: boolean[][], version: number): number[] {
  const size = code.length;
  const bits: number[] = [];
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    const column = right <= 6 ? right - 1 : right;
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [column, column - 1]) {
        if (x < 0 || isReserved(x, y, version)) continue;
        const isMasked = (x + y) % 2 === 0;
        bits.push((code[y]?.[x] === true) === isMasked ? 0 : 1);
      }
    }
    isUp = !isUp;
  }
  return Array.from({ length: Math.floor(bits.length / 8) }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2),
  );
}

function isReserved(x: number, y: number, version: number): boolean {
  const size = version * 4 + 17;
  if (x === 6 || y === 6) return true;
  if ((x < 9 && y < 9) || (x >= size - 8 && y < 9) || (x < 9 && y >= size - 8)) return true;
  if (version >= 7 && ((x >= size - 11 && y < 6) || (y >= size - 11 && x < 6))) return true;
  const centres = ALIGNED[version] ?? [];
  const last = Math.max(...centres);
  return centres.some((cx) =>
    centres.some((cy) => {
      const isCorner = (cx === 6 && cy === 6) || (cx === 6 && cy === last) || (cx === last && cy === 6);
      return !(isCorner && centres.length > 1) && Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2;
    }),
  );
}
