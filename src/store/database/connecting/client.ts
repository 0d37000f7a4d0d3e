// The only place where a connection to the database is made, for pools and for single connections alike. It differs
// from the driver's own client in three ways. It finds the server that accepts writes. It sets the session's settings
// after connecting, because PgBouncer refuses or ignores them as startup parameters. It names every connection.
import { callbackify } from 'node:util';
import { Client, type ClientConfig } from 'pg';
import { readDatabaseUrl, type DatabaseUrl } from './database-url.ts';
import { findWritableServer, refuseReadOnly, STATE_COLUMNS, type ServerState } from './writable-server.ts';

export interface ConnectionOptions extends Omit<
  ClientConfig,
  | 'connectionString'
  | 'application_name'
  | 'options'
  | 'statement_timeout'
  | 'lock_timeout'
  | 'idle_in_transaction_session_timeout'
> {
  url: string;
  /** Shown as `application_name`. Names that start with `waybill ` are those of nodes. */
  name: string;
  /** Settings of the session; those in the URL take precedence. */
  session?: Readonly<Record<string, string | number>>;
  /** Settings of the session that the URL cannot change. */
  requiredSession?: Readonly<Record<string, string>>;
  /** Refuses a server that accepts no writes, even if the URL does not say so. */
  mustBeWritable?: boolean;
}

const SET_UP_LIMIT_MS = 3_000;

const SET_UP = `
  select ${STATE_COLUMNS}, count(set_config(s.name, s.setting, false))
  from unnest($1::text[], $2::text[]) as s(name, setting)`;

type Connected = (error: Error | null, client: Client) => void;

/** Not connected yet. Has a listener for errors: without one, a lost connection would end the process. */
export class DatabaseClient extends Client {
  readonly #database: DatabaseUrl;
  readonly #session: Readonly<Record<string, string>>;
  readonly #mustBeWritable: boolean;

  constructor({ url, name, session = {}, requiredSession = {}, mustBeWritable = false, ...driver }: ConnectionOptions) {
    const database = readDatabaseUrl(url);
    super({ ...driver, connectionString: database.servers[0]?.url, application_name: name });
    this.#database = database;
    this.#session = { ...toTexts(session), ...database.session, ...requiredSession };
    this.#mustBeWritable = mustBeWritable || database.mustBeWritable;
    this.on('error', () => undefined);
  }

  override connect(): Promise<Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<Client> | undefined {
    if (callback === undefined) return this.#open();
    callbackify(() => this.#open())(callback);
    return undefined;
  }

  async #open(): Promise<Client> {
    const { servers } = this.#database;
    if (servers.length > 1) {
      const found = new Client({ connectionString: (await findWritableServer(servers)).url });
      this.host = found.host;
      this.port = found.port;
    }
    await super.connect();
    try {
      await this.#setUp();
    } catch (error) {
      void this.end().catch(() => undefined);
      throw error;
    }
    return this;
  }

  async #setUp(): Promise<void> {
    const names = Object.keys(this.#session);
    if (names.length === 0 && !this.#mustBeWritable) return;
    const query = { text: SET_UP, values: [names, Object.values(this.#session)], query_timeout: SET_UP_LIMIT_MS };
    const { rows } = await this.query<ServerState>(query);
    if (this.#mustBeWritable) refuseReadOnly(rows[0]);
  }
}

function toTexts(settings: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}
