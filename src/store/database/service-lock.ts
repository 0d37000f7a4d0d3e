// Session locks that show which processes use a database. A lock ends with its connection, so a killed process leaves
// nothing behind.
import { DatabaseClient } from './connecting/client.ts';

/** "Ways": held by the service running on an embedded server. */
export const SERVICE_LOCK = 0x5761_7973;
/** "Wayu": shared lock held by every user of an embedded server; stopping the server requires it exclusively. */
export const USE_LOCK = 0x5761_7975;

export interface HeldLock {
  /** Resolves when the lock is no longer held, for any reason. */
  lost: Promise<void>;
  release(): Promise<void>;
}

export interface LockChoice {
  key: number;
  /** Shared locks can coexist; an exclusive lock excludes all others. */
  shared: boolean;
}

export function tryTakeServiceLock(url: string): Promise<HeldLock | undefined> {
  return tryTakeLock(url, { key: SERVICE_LOCK, shared: false });
}

export async function tryTakeLock(url: string, choice: LockChoice): Promise<HeldLock | undefined> {
  const client = new DatabaseClient({ url, name: 'waybill-lock', keepAlive: true, connectionTimeoutMillis: 5_000 });
  const lost = new Promise<void>((resolve) => client.on('end', () => resolve()));
  await client.connect();
  try {
    const call = choice.shared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    const { rows } = await client.query<{ taken: boolean }>(`select ${call}($1) as taken`, [choice.key]);
    if (rows[0]?.taken === true) return { lost, release: () => client.end() };
  } catch (error) {
    await client.end();
    throw error;
  }
  await client.end();
  return undefined;
}
