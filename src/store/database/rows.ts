// Rows become values of the program here and nowhere else: a column gets its camelCase name, a time becomes an instant.
import { types, type CustomTypesConfig, type QueryArrayResult } from 'pg';
import { HOUR_MS, MINUTE_MS, SECOND_MS, type Instant } from '../../domain/time.ts';

export const COLUMN_TYPES: CustomTypesConfig = {
  getTypeParser: (id, format) =>
    id === types.builtins.TIMESTAMPTZ && format !== 'binary' ? parseInstant : types.getTypeParser(id, format),
};

/** `result` is in array mode: in pg's other mode, each row would be an object with the columns' own names first. */
export function toRows<Row extends object>(result: QueryArrayResult<unknown[]>, rowMode: 'array' | undefined): Row[] {
  const rows: object[] = rowMode === 'array' ? result.rows : toObjects(result);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each statement claims what its columns hold
  return rows as Row[];
}

function toObjects({ fields, rows }: QueryArrayResult<unknown[]>): Record<string, unknown>[] {
  const names = fields.map(({ name }) => camelCaseOf(name));
  // Filling a copy of one object costs a third of adding the columns to an empty object.
  const template: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, null]));
  return rows.map((values) => {
    const row = { ...template };
    for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = values[index];
    return row;
  });
}

const camelCaseNames = new Map<string, string>();

function camelCaseOf(column: string): string {
  let name = camelCaseNames.get(column);
  if (name === undefined) {
    name = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    camelCaseNames.set(column, name);
  }
  return name;
}

const parseDate = types.getTypeParser(types.builtins.TIMESTAMPTZ);

const PLUS = '+'.charCodeAt(0);
const DASH = '-'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
/** The length of a time without its fraction and zone. */
const SECONDS_LENGTH = '2026-03-01 12:00:00'.length;

/** Reads the usual `2026-03-01 12:00:00.123+00` at a fifth of the cost of pg's parser, which reads the other forms. */
function parseInstant(text: string): Instant {
  const zoneAt = text.length - 3;
  const sign = text.charCodeAt(zoneAt);
  const isUsual =
    zoneAt >= SECONDS_LENGTH &&
    (sign === PLUS || sign === DASH) &&
    text.charCodeAt(4) === DASH &&
    text.charCodeAt(0) !== ZERO;
  if (!isUsual) return Number(parseDate(text));
  const day = Date.UTC(digitsAt(text, 0) * 100 + digitsAt(text, 2), digitsAt(text, 5) - 1, digitsAt(text, 8));
  const offsetHours = digitsAt(text, zoneAt + 1) * (sign === PLUS ? 1 : -1);
  const hours = digitsAt(text, 11) - offsetHours;
  // Cut off, not rounded, as a Date would.
  const fractionMs = Math.trunc(Number(text.slice(SECONDS_LENGTH, zoneAt)) * SECOND_MS);
  return day + hours * HOUR_MS + digitsAt(text, 14) * MINUTE_MS + digitsAt(text, 17) * SECOND_MS + fractionMs;
}

function digitsAt(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}
