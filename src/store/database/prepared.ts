// Prepared statements whose text and parameters come from one declaration: each parameter says what it is computed from
// at the place in the text where it is used, and a row is written by the list of its columns.
import type { ArrayColumn } from './array-parameter.ts';
import type { Queryable } from './database.ts';

/** By name of the column. */
export type Columns<Row> = Readonly<Record<string, ArrayColumn<Row>>>;

/** Rows that are sent as one array per column. */
export interface GivenRows {
  /** SQL subquery. It has as many rows as the longest column. */
  source: string;
  /** SQL expression: the number of rows. The first column must not be null. */
  size: string;
}

/** Collects a statement's parameters while its text is written. */
export interface Parameters<Input> {
  /** Returns the SQL for the value. */
  value(type: string, read: (input: Input) => unknown): string;
  rows<Row>(columns: Columns<Row>, read: (input: Input) => readonly Row[]): GivenRows;
}

class Collector<Input> implements Parameters<Input> {
  readonly reads: ((input: Input) => unknown)[] = [];

  value(type: string, read: (input: Input) => unknown): string {
    this.reads.push(read);
    return `$${this.reads.length}::${type}`;
  }

  // With `unnest($1, $2)`, PostgreSQL would materialize each column separately before reading the first row.
  rows<Row>(columns: Columns<Row>, read: (input: Input) => readonly Row[]): GivenRows {
    const arrays = Object.entries(columns).map(([name, column]) => {
      const parameter = this.value(column.parameterType, (input) => column.fill(read(input)));
      return { parameter, unnested: `${column.unnest(parameter)} as ${name}` };
    });
    return {
      source: `(select ${arrays.map(({ unnested }) => unnested).join(', ')})`,
      size: `cardinality(${arrays[0]?.parameter})`,
    };
  }
}

export type Prepared<Input, Row> = (db: Queryable, input: Input) => Promise<Row[]>;

export function prepare<Input, Row extends object>(
  name: string,
  write: (parameters: Parameters<Input>) => string,
): Prepared<Input, Row> {
  const parameters = new Collector<Input>();
  const statement = { name, text: write(parameters) };
  return (db, input) =>
    db.query<Row>(
      statement,
      parameters.reads.map((read) => read(input)),
    );
}

/** By name of the column: its value in one row. */
export type RowColumns<Row> = Readonly<Record<string, (row: Row) => unknown>>;

/** For a select of these columns from the table's alias. */
export function selectList(alias: string, columns: RowColumns<never>): string {
  return Object.keys(columns)
    .map((name) => `${alias}.${name}`)
    .join(', ');
}

/** `rest` follows the values, for example `on conflict do nothing`. */
export function prepareInsert<Row>(table: string, columns: RowColumns<Row>, rest = ''): Prepared<Row, object> {
  const names = Object.keys(columns);
  const parameters = names.map((_, index) => `$${index + 1}`);
  return prepareRow(
    columns,
    `insert_into_${table}`,
    `insert into ${table} (${names.join(', ')}) values (${parameters.join(', ')}) ${rest}`,
  );
}

/** Sets all of the columns except `id`, which names the row. */
export function prepareUpdate<Row>(table: string, columns: RowColumns<Row>): Prepared<Row, object> {
  const places = Object.keys(columns).map((name, index) => `${name} = $${index + 1}`);
  const isId = (place: string): boolean => place.startsWith('id = ');
  const changes = places.filter((place) => !isId(place));
  return prepareRow(
    columns,
    `update_${table}`,
    `update ${table} set ${changes.join(', ')} where ${places.filter(isId).join()}`,
  );
}

function prepareRow<Row>(columns: RowColumns<Row>, name: string, text: string): Prepared<Row, object> {
  const values = Object.values(columns);
  return (db, row) =>
    db.query<object>(
      { name, text },
      values.map((valueOf) => valueOf(row)),
    );
}
