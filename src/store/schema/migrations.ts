// The migration files and their declarations, compared with what a database has recorded.
//
// A migration must be safe beside nodes of the previous version: it may only add. Removals and changes come one release
// later, when no node uses the old form, and the file's first lines name the migration that the program must know:
//     -- contract: needs 0031_typed_facts.sql
// A statement that cannot run inside a transaction goes in a separate file:
//     -- no transaction
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url));

export interface Migration {
  name: string;
  text: string;
  hash: string;
  isTransactional: boolean;
  /** Programs that do not know this migration can no longer use the database. */
  needs: string | null;
}

const recordSchema = z.object({ name: z.string(), hash: z.string(), needs: z.string().nullable().default(null) });
export type MigrationRecord = z.output<typeof recordSchema>;

/** As JSON, because databases of older versions lack the column `needs`. */
export const LIST_RECORDS = 'select to_jsonb(m) as record from schema_migrations m order by name';

export function toRecords(rows: readonly { record: unknown }[]): MigrationRecord[] {
  return rows.map((row) => recordSchema.parse(row.record));
}

/** The message is one sentence that says what to run. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

export async function readMigrations(folder = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(path.join(folder, name), 'utf8');
      const marks = /^(?:--.*\n)*/.exec(text)?.[0] ?? '';
      return {
        name,
        text,
        hash: createHash('sha256').update(text).digest('hex'),
        isTransactional: !/^-- no transaction$/m.test(marks),
        needs: /^-- contract: needs (\d{4}_[a-z_]+\.sql)$/m.exec(marks)?.[1] ?? null,
      };
    }),
  );
}

/** Migrations still to be applied. Throws if this program cannot use the database at all. */
export function findMissing(recorded: readonly MigrationRecord[], known: readonly Migration[]): Migration[] {
  const byName = new Map(known.map((migration) => [migration.name, migration]));
  for (const { name, hash, needs } of recorded) {
    const expected = byName.get(name);
    if (expected !== undefined && expected.hash !== hash) {
      throw new SchemaError(
        `Migration ${name} was changed after it was applied. Restore the file, and put changes in a new migration.`,
      );
    }
    if (expected === undefined && needs !== null && !byName.has(needs)) {
      throw new SchemaError(
        `A newer version of Waybill removed something that this version needs from the database (${name} needs a version ` +
          `that has ${needs}). Run the newer version instead.`,
      );
    }
  }
  const applied = new Set(recorded.map((record) => record.name));
  return known.filter((migration) => !applied.has(migration.name));
}
