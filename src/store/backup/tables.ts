// Which tables a backup contains and in which order they can be restored. Read from the catalogs, so that a new table
// is never missed.
import type { Client } from 'pg';

export interface BackupTable {
  name: string;
  columns: { name: string; type: string }[];
}

export interface SequenceState {
  name: string;
  lastValue: string;
  isCalled: boolean;
}

export interface AppliedMigration {
  name: string;
  hash: string;
}

// State that matters only to the nodes running now, and tables that every database fills on its own.
const LEFT_OUT: ReadonlySet<string> = new Set([
  'schema_migrations',
  'nodes',
  'rate_windows',
  'sign_in_budgets',
  'courier_positions',
  'planning_areas',
]);

/** Ordered so that every row's references are restored before it. */
export async function listBackupTables(client: Client): Promise<BackupTable[]> {
  const { rows } = await client.query<{ table_name: string; column_name: string; type: string }>(`
    select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, a.atttypmod) as type
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname, a.attnum`);
  const tables = new Map<string, BackupTable>();
  for (const row of rows) {
    if (LEFT_OUT.has(row.table_name)) continue;
    const table = tables.get(row.table_name) ?? { name: row.table_name, columns: [] };
    table.columns.push({ name: row.column_name, type: row.type });
    tables.set(table.name, table);
  }
  const references = await client.query<{ child: string; parent: string }>(`
    select f.conrelid::regclass::text as child, f.confrelid::regclass::text as parent
    from pg_constraint f where f.contype = 'f' and f.connamespace = 'public'::regnamespace`);
  return sortByReference([...tables.values()], references.rows);
}

function sortByReference(
  tables: readonly BackupTable[],
  references: readonly { child: string; parent: string }[],
): BackupTable[] {
  const sorted: BackupTable[] = [];
  const isPlaced = (name: string) => sorted.some((table) => table.name === name);
  while (sorted.length < tables.length) {
    const next = tables.find(
      (table) =>
        !isPlaced(table.name) &&
        references.every(({ child, parent }) => child !== table.name || parent === child || isPlaced(parent)),
    );
    if (next === undefined) throw new Error('the foreign keys of the tables form a cycle');
    sorted.push(next);
  }
  return sorted;
}

export async function listSequences(client: Client): Promise<SequenceState[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relkind = 'S' and relnamespace = 'public'::regnamespace order by relname`);
  const sequences: SequenceState[] = [];
  for (const { name } of rows) {
    const state = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value, is_called from ${client.escapeIdentifier(name)}`,
    );
    const [row] = state.rows;
    if (row !== undefined) sequences.push({ name, lastValue: row.last_value, isCalled: row.is_called });
  }
  return sequences;
}

export async function listAppliedMigrations(client: Client): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>('select name, hash from schema_migrations order by name');
  return rows;
}
