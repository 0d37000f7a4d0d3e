// Writes a made-up town as an OpenStreetMap extract in the binary format (.osm.pbf) that map tools read: a header and
// one block of nodes and ways, using the few protocol buffer features that this requires.
import type { Place } from '../../src/domain/geo.ts';

export interface Street {
  /** Node numbers. */
  nodes: readonly number[];
  tags: Readonly<Record<string, string>>;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

const signed = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const number = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)];

function bytes(field: number, content: readonly number[] | Buffer): number[] {
  return [...varint(field * 8 + 2), ...varint(content.length), ...content];
}

const text = (field: number, value: string): number[] => bytes(field, Buffer.from(value));
const packed = (field: number, values: readonly number[]): number[] => bytes(field, values.flatMap(varint));

/** The difference of each value from the previous one; the format stores such lists as signed deltas. */
const differences = (values: readonly number[]): number[] =>
  values.map((value, index) => signed(value - (values[index - 1] ?? 0)));

function fileBlock(type: string, content: readonly number[]): Buffer {
  const blob = bytes(1, content);
  const header = [...text(1, type), ...number(3, blob.length)];
  const length = Buffer.alloc(4);
  length.writeUInt32BE(header.length);
  return Buffer.concat([length, Buffer.from(header), Buffer.from(blob)]);
}

/** Nodes are numbered from 1 in the given order. */
export function writeExtract(nodes: readonly Place[], streets: readonly Street[]): Buffer {
  const words = [''];
  const wordNumber = (word: string): number => {
    const known = words.indexOf(word);
    return known > 0 ? known : words.push(word) - 1;
  };
  // The format counts in steps of 100 nanodegrees.
  const steps = (degrees: number): number => Math.round(degrees * 1e7);
  const dense = [
    ...packed(1, differences(nodes.map((_, index) => index + 1))),
    ...packed(8, differences(nodes.map(({ latitude }) => steps(latitude)))),
    ...packed(9, differences(nodes.map(({ longitude }) => steps(longitude)))),
  ];
  const ways = streets.flatMap(({ nodes: refs, tags }, index) =>
    bytes(3, [
      ...number(1, index + 1),
      ...packed(2, Object.keys(tags).map(wordNumber)),
      ...packed(3, Object.values(tags).map(wordNumber)),
      ...packed(8, differences(refs)),
    ]),
  );
  const table = words.flatMap((word) => text(1, word));
  return Buffer.concat([
    fileBlock('OSMHeader', [...text(4, 'OsmSchema-V0.6'), ...text(4, 'DenseNodes')]),
    fileBlock('OSMData', [...bytes(1, table), ...bytes(2, bytes(2, dense)), ...bytes(2, ways)]),
  ]);
}
