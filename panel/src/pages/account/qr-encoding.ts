// A text as a QR code (ISO/IEC 18004): byte mode, error correction level L, versions 1 to 10, which is more than an
// otpauth address needs. Rows of dark (true) and light modules, without the quiet zone.

/** For level L, by version: all codewords, correction codewords of a block, blocks. */
const VERSIONS = [
  { total: 26, correction: 7, blocks: 1 },
  { total: 44, correction: 10, blocks: 1 },
  { total: 70, correction: 15, blocks: 1 },
  { total: 100, correction: 20, blocks: 1 },
  { total: 134, correction: 26, blocks: 1 },
  { total: 172, correction: 18, blocks: 2 },
  { total: 196, correction: 20, blocks: 2 },
  { total: 242, correction: 24, blocks: 2 },
  { total: 292, correction: 30, blocks: 2 },
  { total: 346, correction: 18, blocks: 4 },
] as const;

/** Centres of the alignment patterns, by version. */
const ALIGNMENTS = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
] as const;

interface Grid {
  size: number;
  isDark: boolean[][];
  /** Patterns that carry no data and are not masked. */
  isFixed: boolean[][];
}

export function encodeQr(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const index = VERSIONS.findIndex((version, at) => bytes.length <= capacity(version) - (at < 9 ? 2 : 3));
  const version = VERSIONS[index];
  if (version === undefined) throw new RangeError(`${bytes.length} bytes do not fit into a QR code of version 10`);
  const codewords = interleave(toDataCodewords(bytes, { index, capacity: capacity(version) }), version);
  const grid = drawFixed(index + 1);
  drawData(grid, codewords);
  // Any mask may be read; this one breaks up plain areas well enough for short texts.
  applyMask(grid);
  drawFormat(grid);
  return grid.isDark;
}

function capacity({ total, correction, blocks }: (typeof VERSIONS)[number]): number {
  return total - correction * blocks;
}

function toDataCodewords(bytes: Uint8Array, version: { index: number; capacity: number }): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, version.index < 9 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, version.capacity * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const codewords = Array.from({ length: bits.length / 8 }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2),
  );
  while (codewords.length < version.capacity)
    codewords.push(...[0xec, 0x11].slice(0, version.capacity - codewords.length));
  return codewords;
}

/** Splits into blocks, the longer ones last, and takes from each in turn; their correction follows likewise. */
function interleave(data: readonly number[], version: (typeof VERSIONS)[number]): number[] {
  const shortLength = Math.floor(data.length / version.blocks);
  const longBlocks = data.length % version.blocks;
  const blocks: number[][] = [];
  for (let at = 0; at < data.length;) {
    const length = shortLength + (blocks.length >= version.blocks - longBlocks ? 1 : 0);
    blocks.push(data.slice(at, at + length));
    at += length;
  }
  const divisor = makeDivisor(version.correction);
  const corrections = blocks.map((block) => remainder(block, divisor));
  return [...inTurn(blocks), ...inTurn(corrections)];
}

function inTurn(blocks: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: longest }, (_, at) => blocks.flatMap((block) => block[at] ?? [])).flat();
}

/** In the field of 256 elements with the polynomial 0x11d. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> bit) & 1) * a;
  }
  return product;
}

function makeDivisor(degree: number): number[] {
  let divisor = [1];
  let root = 1;
  for (let at = 0; at < degree; at++) {
    const before = divisor;
    const factor = root;
    divisor = [...before, 0].map((value, place) => value ^ multiply(before[place - 1] ?? 0, factor));
    root = multiply(root, 2);
  }
  return divisor.slice(1);
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  let result = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (result[0] ?? 0);
    result = divisor.map((value, at) => (result[at + 1] ?? 0) ^ multiply(value, factor));
  }
  return result;
}

function drawFixed(version: number): Grid {
  const size = version * 4 + 17;
  const empty = (): boolean[][] => Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const grid: Grid = { size, isDark: empty(), isFixed: empty() };
  for (let at = 0; at < size; at++) {
    set(grid, [6, at], at % 2 === 0);
    set(grid, [at, 6], at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    drawSquares(grid, [x, y], { reach: 4, isDark: (ring) => ring !== 2 && ring !== 4 });
  }
  const centres: readonly number[] = ALIGNMENTS[version - 1] ?? [];
  const last = centres.at(-1);
  for (const x of centres) {
    for (const y of centres) {
      const isFinder = (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6);
      if (!isFinder) drawSquares(grid, [x, y], { reach: 2, isDark: (ring) => ring !== 1 });
    }
  }
  drawFormat(grid);
  if (version >= 7) drawVersion(grid, version);
  return grid;
}

function set(grid: Grid, [x, y]: readonly [number, number], isDark: boolean): void {
  const row = grid.isDark[y];
  const fixed = grid.isFixed[y];
  if (row === undefined || fixed === undefined || x < 0 || x >= grid.size) return;
  row[x] = isDark;
  fixed[x] = true;
}

function drawSquares(
  grid: Grid,
  [centreX, centreY]: readonly [number, number],
  pattern: { reach: number; isDark: (ring: number) => boolean },
): void {
  const { reach, isDark } = pattern;
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      set(grid, [centreX + x, centreY + y], isDark(Math.max(Math.abs(x), Math.abs(y))));
    }
  }
}

/** Level L is 01, the mask 000; ten bits of correction; masked so that it is never all light. */
function drawFormat(grid: Grid): void {
  const { size } = grid;
  const data = 0b01_000;
  const bits = ((data << 10) | polynomialRemainder(data, { degree: 10, generator: 0x537 })) ^ 0x5412;
  const bit = (at: number): boolean => ((bits >> at) & 1) === 1;
  for (let at = 0; at <= 5; at++) set(grid, [8, at], bit(at));
  set(grid, [8, 7], bit(6));
  set(grid, [8, 8], bit(7));
  set(grid, [7, 8], bit(8));
  for (let at = 9; at < 15; at++) set(grid, [14 - at, 8], bit(at));
  for (let at = 0; at < 8; at++) set(grid, [size - 1 - at, 8], bit(at));
  for (let at = 8; at < 15; at++) set(grid, [8, size - 15 + at], bit(at));
  set(grid, [8, size - 8], true);
}

function drawVersion(grid: Grid, version: number): void {
  const bits = (version << 12) | polynomialRemainder(version, { degree: 12, generator: 0x1f25 });
  for (let at = 0; at < 18; at++) {
    const isDark = ((bits >> at) & 1) === 1;
    const far = grid.size - 11 + (at % 3);
    const near = Math.floor(at / 3);
    set(grid, [far, near], isDark);
    set(grid, [near, far], isDark);
  }
}

function polynomialRemainder(data: number, code: { degree: number; generator: number }): number {
  let rest = data;
  for (let at = 0; at < code.degree; at++) rest = (rest << 1) ^ ((rest >> (code.degree - 1)) * code.generator);
  return rest;
}

/** In columns of two, from the right, up and down in turn, around everything fixed. */
function drawData(grid: Grid, codewords: readonly number[]): void {
  const { size } = grid;
  let at = 0;
  let isUpward = true;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = grid.isDark[y];
        if (row === undefined || grid.isFixed[y]?.[x] === true) continue;
        row[x] = (((codewords[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1;
        at += 1;
      }
    }
    isUpward = !isUpward;
  }
}

function applyMask(grid: Grid): void {
  grid.isDark = grid.isDark.map((row, y) =>
    row.map((isDark, x) => (grid.isFixed[y]?.[x] === true ? isDark : isDark !== ((x + y) % 2 === 0))),
  );
}
