// Checks that the server is up, that it is the intended one, and that its commits are durable.
import { Client, DatabaseError } from 'pg';
import { describe, EmbeddedPostgresError, hasCode } from './system/failure.ts';
import { WORKING_FOLDER } from './cluster.ts';
import { buildUrl } from './socket-folder.ts';

/** `silent`: no server behind the socket. `busy`: it is starting, recovering or stopping. */
export type Answer = 'ready' | 'busy' | 'silent';

const CONNECT_TIMEOUT_MS = 5_000;
const CANNOT_CONNECT_NOW = '57P03';
const ADMIN_SHUTDOWN = '57P01';
const TOO_MANY_CONNECTIONS = '53300';

export async function askServer(socketFolder: string): Promise<Answer> {
  try {
    await withSession(buildUrl(socketFolder, 'postgres'), (client) => client.query('select 1'));
    return 'ready';
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) throw explainClosedSocket(socketFolder, error);
    if (!(error instanceof DatabaseError)) return 'silent';
    // A server whose connections are all in use is up.
    if (error.code === TOO_MANY_CONNECTIONS) return 'ready';
    if (error.code === CANNOT_CONNECT_NOW || error.code === ADMIN_SHUTDOWN) return 'busy';
    throw error;
  }
}

function explainClosedSocket(socketFolder: string, error: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `Cannot open PostgreSQL's socket in ${socketFolder} (${describe(error)}). As root, Waybill needs the ` +
      'capability dac_override for this. Grant it, or start Waybill as an ordinary user.',
    { cause: error },
  );
}

export async function createDatabase(socketFolder: string, name: string): Promise<void> {
  await withSession(buildUrl(socketFolder, 'postgres'), async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  });
}

// A 2xx response means committed to disk. That holds only with exactly these settings.
const REQUIRED_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  data_checksums: 'on',
  server_encoding: 'UTF8',
  listen_addresses: '',
};

interface Setting {
  name: string;
  value: string;
}

/** Reads the settings in a session like the service's, so that overrides for the role or database count too. */
export async function refuseUnsafeServer(url: string, clusterFolder: string): Promise<void> {
  const names = [...Object.keys(REQUIRED_SETTINGS), 'data_directory'];
  const settings = await withSession(url, async (client) => {
    const statement = 'select name, current_setting(name) as value from unnest($1::text[]) as name';
    return (await client.query<Setting>(statement, [names])).rows;
  });
  const found = new Map(settings.map(({ name, value }) => [name, value]));
  // A server that reports WORKING_FOLDER was already identified by its working directory.
  if (![clusterFolder, WORKING_FOLDER].includes(found.get('data_directory') ?? '')) {
    throw new EmbeddedPostgresError(
      `The PostgreSQL server at the socket for ${clusterFolder} uses ${found.get('data_directory')}. Stop it first.`,
    );
  }
  const wrong = Object.entries(REQUIRED_SETTINGS).filter(([name, value]) => found.get(name) !== value);
  if (wrong.length === 0) return;
  throw new EmbeddedPostgresError(
    `The database in ${clusterFolder} has ${wrong.map(([name]) => `${name} = ${found.get(name)}`).join(', ')}, ` +
      `but Waybill needs ${wrong.map(([name, value]) => `${name} = ${value}`).join(', ')} to guarantee that nothing is lost. ` +
      'Remove the change from postgresql.conf and postgresql.auto.conf.',
  );
}

/** Sessions of other programs, such as a service. */
export async function countOtherSessions(socketFolder: string): Promise<number> {
  return withSession(buildUrl(socketFolder, 'postgres'), async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
    return rows[0]?.count ?? 0;
  });
}

export async function reloadSettings(socketFolder: string): Promise<void> {
  await withSession(buildUrl(socketFolder, 'postgres'), (client) => client.query('select pg_reload_conf()'));
}

async function withSession<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({
    connectionString: url,
    application_name: 'waybill-embedded',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A lost connection is also reported here; the pending query already rejects with the error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
