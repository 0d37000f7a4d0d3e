// Connections for the authentication library, which writes its own SQL. The pool is separate and small so that a flood
// of sign-ins cannot use up the connections needed to place orders.
import { Pool } from 'pg';

export interface AuthPoolOptions {
  url: string;
  maxConnections: number;
  onIdleError: (error: Error) => void;
}

export function openAuthPool({ url, maxConnections, onIdleError }: AuthPoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    // The driver treats 0 as its default of ten.
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
  // See store/database/database.ts: without a listener, a connection that breaks while in use would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
