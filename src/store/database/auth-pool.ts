// Connections for the authentication library, which writes its own SQL. The pool is separate and small so that a flood
// of sign-ins cannot use up the connections needed to place orders.
import type { Pool } from 'pg';
import { createPool, sessionLimits } from './connecting/pool.ts';

export interface AuthPoolOptions {
  url: string;
  maxConnections: number;
  onIdleError: (error: Error) => void;
}

export function openAuthPool({ url, maxConnections, onIdleError }: AuthPoolOptions): Pool {
  const pool = createPool({
    url,
    name: 'waybill-sign-in',
    // The driver treats 0 as its default of ten.
    max: Math.max(1, maxConnections),
    idleTimeoutMillis: 10_000,
    session: sessionLimits(10_000),
    query_timeout: 12_000,
  });
  pool.on('error', (error) => onIdleError(error));
  return pool;
}
