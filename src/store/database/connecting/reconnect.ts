// Gets connections from a pool. While the database is away, one caller at a time tries to connect and all others are
// refused at once: they do not wait for a timeout each, and a database that comes back is not met by all of them.
import type { Pool, PoolClient } from 'pg';

/** Throws what the driver throws, or an error of its own while another caller tries. */
export function createConnector(pool: Pool): () => Promise<PoolClient> {
  let isAway = false;
  let isTrying = false;

  async function connect(): Promise<PoolClient> {
    try {
      const client = await pool.connect();
      isAway = false;
      return client;
    } catch (error) {
      if (!isPoolBusy(error)) isAway = true;
      throw error;
    }
  }

  return async () => {
    if (!isAway || pool.idleCount > 0) return connect();
    if (isTrying) throw new Error('the database is away');
    isTrying = true;
    try {
      return await connect();
    } finally {
      isTrying = false;
    }
  };
}

/** All connections are in use, which says nothing about the database. */
function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}
