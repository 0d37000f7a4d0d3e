import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { column } from './array-parameter.ts';
import { openDatabase, type Database } from './database.ts';
import { prepare, prepareInsert, prepareUpdate, selectList, type Columns, type RowColumns } from './prepared.ts';

const IDS = ['0190b6a2-7c1e-7d57-a9cf-6b7c8d9e0f12', '0190b6a2-7c1e-7d57-a9cf-6b7c8d9e0f13'] as const;

interface Given {
  id: string;
  note: string | null;
  body: string;
}

const COLUMNS: Columns<Given> = {
  id: column.uuid((row) => row.id),
  note: column.text((row) => row.note),
  body: column.lines((row) => row.body),
};

let testDatabase: TestDatabase;
let db: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url });
});

afterAll(async () => {
  await db.close();
  await testDatabase.drop();
});

test('values and columns arrive where the text uses them, a column of nulls as nulls beside the others', async () => {
  const list = prepare<{ factor: number; rows: Given[]; label: string }, object>('list_given', (parameters) => {
    const label = parameters.value('text', (input) => input.label);
    const given = parameters.rows(COLUMNS, (input) => input.rows);
    const factor = parameters.value('int', (input) => input.factor);
    return `select g.*, ${label} as label, ${given.size} * ${factor} as size from ${given.source} as g`;
  });
  const rows = IDS.map((id, index) => ({ id, note: null, body: `{"index":${index}}` }));
  const shared = { label: 'a', size: 20 };
  expect(await list(db, { factor: 10, rows, label: 'a' })).toEqual(rows.map((row) => ({ ...row, ...shared })));
  expect(await list(db, { factor: 10, rows: [], label: 'a' })).toEqual([]);
});

interface Seat {
  id: number;
  place: string;
  isTaken: boolean;
}

const SEAT = {
  place: ({ place }) => place,
  id: ({ id }) => id,
  is_taken: ({ isTaken }) => isTaken,
} satisfies RowColumns<Seat>;

test('a row is inserted, changed and read by one list of columns', async () => {
  await db.query('create table seats (id int primary key, place text, is_taken boolean)');
  const insert = prepareInsert<Seat>('seats', SEAT, 'on conflict do nothing returning id');
  const update = prepareUpdate<Seat>('seats', SEAT);
  const seats: Seat[] = [
    { id: 1, place: 'window', isTaken: false },
    { id: 2, place: 'bar', isTaken: true },
  ];
  for (const seat of seats) expect(await insert(db, seat)).toHaveLength(1);
  expect(await insert(db, { id: 1, place: 'door', isTaken: true })).toEqual([]);
  await update(db, { id: 1, place: 'garden', isTaken: true });
  expect(await db.query(`select ${selectList('s', SEAT)} from seats s order by s.id`)).toEqual([
    { id: 1, place: 'garden', isTaken: true },
    seats[1],
  ]);
});
