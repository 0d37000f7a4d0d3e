// Commands use a database as they find it; only `serve` and `migrate` change its schema. Running an ordinary command,
// perhaps from another checkout, must not upgrade a running installation by accident.
import { howToRun } from '../../how-to-run.ts';
import { DatabaseClient } from '../database/connecting/client.ts';
import { describeConnectFailure } from '../database/connect-failure.ts';
import { refuseTransactionPooling } from '../database/connecting/pooler-check.ts';
import {
  findMissing,
  LIST_RECORDS,
  readMigrations,
  SchemaError,
  toRecords,
  type MigrationRecord,
} from './migrations.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const RUN_MIGRATE = `Run "${howToRun('migrate')}", or start the service with this version, then try again`;

export const NO_DATABASE = `There is no database yet. ${RUN_MIGRATE}.`;

export async function isUninitialized(url: string): Promise<boolean> {
  return (await readRecords(url)) === undefined;
}

/** Also accepts a database to which a newer version has only added something. */
export async function requireCurrentSchema(url: string): Promise<void> {
  const records = await readRecords(url);
  if (records === undefined)
    throw new SchemaError(`The database does not contain the Waybill schema yet. ${RUN_MIGRATE}.`);
  const missing = findMissing(records, await readMigrations());
  if (missing.length === 0) return;
  throw new SchemaError(
    `The database is older than this version of Waybill (${missing.length} migrations are missing, starting with ` +
      `${missing[0]?.name}). ${RUN_MIGRATE}.`,
  );
}

async function readRecords(url: string): Promise<MigrationRecord[] | undefined> {
  const client = new DatabaseClient({ url, name: 'waybill-schema', connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await refuseTransactionPooling(url);
    await client.connect();
  } catch (error) {
    throw new Error(describeConnectFailure(error, url), { cause: error });
  }
  try {
    const found = await client.query<{ there: boolean }>(
      `select to_regclass('schema_migrations') is not null as there`,
    );
    if (found.rows[0]?.there !== true) return undefined;
    const records = toRecords((await client.query<{ record: unknown }>(LIST_RECORDS)).rows);
    return records.length === 0 ? undefined : records;
  } finally {
    await client.end();
  }
}
