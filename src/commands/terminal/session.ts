// Opens the configured database and the vault for a command. If the embedded server is not running, it is started for the
// command and stopped afterwards, unless another process uses it by then.
import { checkMasterKey, WRONG_MASTER_KEY } from '../../actions/upkeep/check-master-key.ts';
import type { AdministrationDeps } from '../../actions/administration.ts';
import { createOrderChanger, type OrderChanger } from '../../actions/orders/change-order.ts';
import { closedOutbox } from '../../actions/orders/event-outbox.ts';
import type { Config } from '../../settings/config.ts';
import { hasCluster } from '../../embedded/cluster.ts';
import { MasterKeyError, obtainMasterKey } from '../../secrets/master-key.ts';
import type { Platform } from '../../platform.ts';
import { joinEmbeddedServer } from '../../embedded/shared-server.ts';
import { openDatabase, type Database } from '../../store/database/database.ts';
import { followDatabaseTime } from '../../store/database/database-time.ts';
import { confirmReplicated } from '../../store/database/replicated.ts';
import { SchemaError } from '../../store/schema/migrations.ts';
import { NO_DATABASE, requireCurrentSchema } from '../../store/schema/check.ts';
import { createVault } from '../../secrets/vault.ts';

export interface Session extends AdministrationDeps {
  url: string;
  changer: OrderChanger;
}

export interface SessionOptions {
  config: Config;
  platform: Platform;
  report(text: string): void;
}

export async function withSession<Result>(
  options: SessionOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { config, platform } = options;
  return withExistingServer(options, async (url) => {
    await requireCurrentSchema(url);
    const randomBytes = (count: number) => platform.randomBytes(count);
    const vault = createVault(await obtainMasterKey(config, randomBytes), randomBytes);
    const db = openDatabase({ url, maxConnections: 4 });
    try {
      await followDatabaseTime(db, platform.clock);
      if (!(await checkMasterKey(db, vault))) throw new MasterKeyError(WRONG_MASTER_KEY);
      return await confirmChanges(db, (watched) => {
        const changer = createOrderChanger({ ...platform, db: watched, outbox: closedOutbox });
        return work({ ...platform, url, db: watched, vault, changer });
      });
    } finally {
      await db.close();
    }
  });
}

/** A transaction may have found that its change was already made; see store/database/replicated.ts. */
export async function confirmChanges<Result>(
  db: Database,
  work: (watched: Database) => Promise<Result>,
): Promise<Result> {
  let hasChanged = false;
  const transaction: Database['transaction'] = (change) => {
    hasChanged = true;
    return db.transaction(change);
  };
  const result = await work({ ...db, transaction });
  if (hasChanged) await confirmReplicated(db);
  return result;
}

/** For commands that need existing data: a wrong WAYBILL_DATA_DIR must not create a new database. */
export async function withExistingServer<Result>(
  options: SessionOptions,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, dataDir } = options.config;
  if (databaseUrl === null && !(await hasCluster(dataDir))) throw new SchemaError(NO_DATABASE);
  return withServer(options, work);
}

/** For commands that must not open the tables: only the database server, created if there is none yet. */
export async function withServer<Result>(
  options: SessionOptions,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const { config } = options;
  if (config.databaseUrl !== null) return work(config.databaseUrl);
  const server = await joinEmbeddedServer({ dataDir: config.dataDir, as: 'command', onProgress: () => undefined });
  if (server === undefined) throw new Error('a command was refused as if it were a second service');
  try {
    return await work(server.url);
  } finally {
    await server.leave();
  }
}
