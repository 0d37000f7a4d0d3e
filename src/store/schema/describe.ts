// Renders the schema as text from the catalogs, identically on every supported version of PostgreSQL, so that
// `schema.sql` shows in review what a migration really does.
import { DatabaseClient } from '../database/connecting/client.ts';

interface TableRow {
  name: string;
  persistence: string;
  options: string[] | null;
  partition_key: string | null;
}

interface ColumnRow {
  table_name: string;
  name: string;
  type: string;
  not_null: boolean;
  default_text: string | null;
  identity: '' | 'a' | 'd';
  generated: '' | 's' | 'v';
}

interface PartRow {
  table_name: string;
  text: string;
}

const TABLES = `
  select c.relname as name, c.relpersistence as persistence, c.reloptions as options,
    case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end as partition_key
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname collate "C"`;

const COLUMNS = `
  select c.relname as table_name, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull as not_null, pg_get_expr(d.adbin, d.adrelid) as default_text, a.attidentity as identity,
    a.attgenerated as generated
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname collate "C", a.attnum`;

// PostgreSQL 18 and later list NOT NULL as separate constraints; the columns already show it.
const CONSTRAINTS = `
  select c.relname as table_name,
    'constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid, true) as text
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid and not c.relispartition
  where k.connamespace = 'public'::regnamespace and k.contype <> 'n'
  order by c.relname collate "C", position(k.contype::text in 'pufc'), k.conname collate "C"`;

const INDEXES = `
  select t.relname as table_name, pg_get_indexdef(i.indexrelid) as text
  from pg_index i
  join pg_class n on n.oid = i.indexrelid
  join pg_class t on t.oid = i.indrelid and not t.relispartition
  where n.relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  order by t.relname collate "C", n.relname collate "C"`;

// Sequences of identity columns are part of their column.
const SEQUENCES = `
  select format('create sequence %I as %s start with %s increment by %s;', s.relname, format_type(q.seqtypid, null),
    q.seqstart, q.seqincrement) as text
  from pg_sequence q
  join pg_class s on s.oid = q.seqrelid
  where s.relnamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = s.oid and d.deptype = 'i')
  order by s.relname collate "C"`;

const FUNCTIONS = `
  select pg_get_functiondef(p.oid) || ';' as text from pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.proname collate "C", p.oid::regprocedure::text collate "C"`;

const TRIGGERS = `
  select pg_get_triggerdef(g.oid, true) || ';' as text from pg_trigger g
  join pg_class c on c.oid = g.tgrelid and c.relnamespace = 'public'::regnamespace and not c.relispartition
  where not g.tgisinternal
  order by c.relname collate "C", g.tgname collate "C"`;

const HEADING = `-- What the migrations add up to, written by \`npm run waybill -- schema\`. Not to be edited or applied by hand:
-- a test compares it with a freshly migrated database.`;

export async function describeSchema(url: string): Promise<string> {
  const client = new DatabaseClient({ url, name: 'waybill-schema' });
  await client.connect();
  try {
    const read = async <Row extends object>(text: string) => (await client.query<Row>(text)).rows;
    const tables = await read<TableRow>(TABLES);
    const columns = await read<ColumnRow>(COLUMNS);
    const constraints = await read<PartRow>(CONSTRAINTS);
    const indexes = await read<PartRow>(INDEXES);
    const sequences = await read<{ text: string }>(SEQUENCES);
    const rest = [...(await read<{ text: string }>(FUNCTIONS)), ...(await read<{ text: string }>(TRIGGERS))];
    const tableTexts = tables.map((table) => {
      const ofTable = <Row extends { table_name: string }>(rows: Row[]) =>
        rows.filter((row) => row.table_name === table.name);
      const parts = [...ofTable(columns).map(describeColumn), ...ofTable(constraints).map((row) => row.text)];
      const indexTexts = ofTable(indexes).map((row) => `${shorten(row.text)};`);
      return [describeTable(table, parts), ...indexTexts].join('\n');
    });
    const texts = [HEADING, ...sequences.map((row) => row.text), ...tableTexts, ...rest.map((row) => row.text)];
    return `${texts.join('\n\n')}\n`;
  } finally {
    await client.end();
  }
}

function describeTable(table: TableRow, parts: readonly string[]): string {
  const kind = table.persistence === 'u' ? 'unlogged table' : 'table';
  const partition = table.partition_key === null ? '' : ` partition by ${table.partition_key}`;
  const options = table.options === null ? '' : ` with (${[...table.options].sort().join(', ')})`;
  return `create ${kind} ${table.name} (\n  ${parts.join(',\n  ')}\n)${partition}${options};`;
}

function describeColumn(column: ColumnRow): string {
  const words = [column.name, column.type];
  if (column.not_null) words.push('not null');
  if (column.identity !== '') words.push(`generated ${column.identity === 'a' ? 'always' : 'by default'} as identity`);
  if (column.generated !== '') words.push(`generated always as (${column.default_text}) stored`);
  else if (column.default_text !== null) words.push(`default ${column.default_text}`);
  return words.join(' ');
}

// PostgreSQL qualifies every index with the schema; there is only one here.
function shorten(definition: string): string {
  return definition.replace(/ ON (ONLY )?public\./, ' ON $1');
}
