// All rows of one tenant in all tables. The filter follows from a table's columns, so new tables are usually covered
// automatically; a table without an owning column must be listed here.
import type { Queryable } from '../../src/store/database/database.ts';

export interface TenantRows {
  /** Each row as text, by table. */
  tables: Map<string, string[]>;
}

/** The first of these columns that a table has determines the filter. */
const OWNING_COLUMNS: [column: string, filter: string][] = [
  ['restaurant_id', 'restaurant_id = $1'],
  ['order_id', 'order_id in (select id from orders where restaurant_id = $1)'],
  ['courier_id', 'courier_id in (select id from couriers where restaurant_id = $1)'],
  ['user_id', `user_id in (select id from users where restaurant_id = $1)`],
  ['case_id', 'case_id in (select id from support_cases where restaurant_id = $1)'],
];

const OWN_FILTERS: Record<string, string> = {
  restaurants: 'id = $1',
  users: `restaurant_id = $1 or courier_id in (select id from couriers where restaurant_id = $1)`,
  set_aside: 'id = $1 or id in (select id from orders where restaurant_id = $1)',
  mail_outbox: `to_address in (select email from users where restaurant_id = $1)`,
};

/** Tables that belong to the installation, not to a tenant. */
const SHARED = new Set([
  'audit_progress',
  'epochs',
  'installation',
  'nodes',
  'planning_areas',
  'schema_migrations',
  'sign_in_budgets',
  // Pending second factors, stored under hashes.
  'verifications',
]);

export async function readTenantRows(db: Queryable, restaurantId: string): Promise<TenantRows> {
  const filters = await listFilters(db);
  const parts = filters.map(
    ([table, filter]) => `select '${table}' as name, t::text as row from ${table} t where ${filter}`,
  );
  const rows = await db.query<{ name: string; row: string }>(parts.join(' union all '), [restaurantId]);
  const tables = new Map<string, string[]>();
  for (const { name, row } of rows) tables.set(name, [...(tables.get(name) ?? []), row]);
  for (const list of tables.values()) list.sort();
  return { tables };
}

async function listFilters(db: Queryable): Promise<[table: string, filter: string][]> {
  const tables = await db.query<{ name: string; columns: string[] }>(`
    select c.relname as name, array_agg(a.attname::text) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by c.relname order by c.relname`);
  return tables
    .filter(({ name }) => !SHARED.has(name))
    .map(({ name, columns }) => {
      const filter = OWN_FILTERS[name] ?? OWNING_COLUMNS.find(([column]) => columns.includes(column))?.[1];
      if (filter === undefined) throw new Error(`${name}: add the table to OWN_FILTERS or SHARED in tenant-rows.ts`);
      return [name, filter];
    });
}

/** Names of the tables that differ. */
export function compareRows(before: TenantRows, after: TenantRows): string[] {
  const names = [...new Set([...before.tables.keys(), ...after.tables.keys()])];
  const textOf = (rows: TenantRows, name: string) => rows.tables.get(name)?.join('\n');
  return names.filter((name) => textOf(before, name) !== textOf(after, name));
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Every UUID in the tenant's rows. */
export function listIdsIn({ tables }: TenantRows): Set<string> {
  // An epoch belongs to the whole installation and is part of every tenant's cursors.
  const own = [...tables].filter(([table]) => table !== 'epoch_sequences').flatMap(([, rows]) => rows);
  return new Set(own.flatMap((row) => row.match(UUID) ?? []));
}
