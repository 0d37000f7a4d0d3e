import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Its message explains to the user that the public data is missing. */
export class DataMissing extends Error {}

/** Folder of the public instances: the argument, WAYBILL_BENCH_DATA, or `../shared/data` next to the project. */
export function findDataFolder(asked: string | undefined): string {
  const beside = path.join(import.meta.dirname, '..', '..', '..', 'shared', 'data');
  const folder = asked ?? process.env['WAYBILL_BENCH_DATA'] ?? beside;
  for (const needed of ['mdrp', 'mdrp-anchors.csv', 'lilim', 'lilim-best-known.csv', 'lilim-vroom.csv']) {
    if (existsSync(path.join(folder, needed))) continue;
    throw new DataMissing(
      `The planner bench needs the public instances, and ${path.join(folder, needed)} is not there. ` +
        'Set WAYBILL_BENCH_DATA to their folder.',
    );
  }
  return folder;
}

/** Rows of a file with a header line, keyed by column name. */
export function readTable(file: string, separator: ',' | '\t'): Record<string, string>[] {
  const [header = '', ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  const names = header.split(separator);
  return lines.map((line) => {
    const cells = line.split(separator);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
  });
}

export function readNumber(row: Record<string, string>, column: string): number {
  const value = Number(row[column]);
  if (row[column] === undefined || row[column] === '' || !Number.isFinite(value)) {
    throw new Error(`column ${column} holds ${row[column] ?? 'nothing'} where a number should be`);
  }
  return value;
}
