// Pools of connections that are made like every other one.
import { Pool, type PoolConfig } from 'pg';
import { DatabaseClient, type ConnectionOptions } from './client.ts';

export interface PoolOptions extends ConnectionOptions {
  max: number;
  idleTimeoutMillis: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
const LOCK_TIMEOUT_MS = 5_000;
const IDLE_IN_TRANSACTION_MS = 10_000;

/** How long the server lets a session wait. */
export function sessionLimits(statementTimeoutMs: number): Record<string, number> {
  return {
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.min(LOCK_TIMEOUT_MS, statementTimeoutMs),
    // A node that freezes inside a transaction must not hold its locks forever.
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
}

export function createPool(options: PoolOptions): Pool {
  const { max, idleTimeoutMillis, ...connection } = options;
  const client: ConnectionOptions = { keepAlive: true, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, ...connection };
  class PooledClient extends DatabaseClient {
    constructor() {
      super(client);
    }
  }
  const config: PoolConfig = {
    max,
    idleTimeoutMillis,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    Client: PooledClient,
  };
  return new Pool(config);
}
