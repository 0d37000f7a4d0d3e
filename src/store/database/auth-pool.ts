// Connections for the authentication library, which writes its own SQL. A few of their own: a flood of sign-ins must not
// take the connections away on which orders are placed.
import { Pool } from 'pg';

export interface AuthPoolOptions {
  url: string;
  maxConnections: number;
  onIdleError: (error: Error) => void;
}

export function openAuthPool({ url, maxConnections, onIdleError }: AuthPoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    // The driver takes 0 for its default of ten.
    max: Math.max(1, maxConnections),
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 10_000,
    statement_timeout: 10_000,
    lock_timeout: 5_000,
    query_timeout: 12_000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
  });
  pool.on('error', (error) => onIdleError(error));
  // See store/database/database.ts: a connection that breaks while it is used would otherwise end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
