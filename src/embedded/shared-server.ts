// One service and any number of commands share the embedded server concurrently. The first process to join starts it,
// and the last to leave stops it. It is never stopped while another process uses it.
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedPostgresError, startEmbeddedPostgres } from './postgres.ts';
import {
  SERVICE_LOCK,
  tryTakeLock,
  tryTakeServiceLock,
  USE_LOCK,
  type HeldLock,
} from '../store/database/service-lock.ts';

export interface SharedServer {
  url: string;
  /** Resolves when the server, or this process's lock on it, is lost. */
  lost: Promise<void>;
  leave(): Promise<void>;
}

export interface JoinOptions {
  dataDir: string;
  /** At most one service may run; any number of commands may run beside it. */
  as: 'service' | 'command';
  /** Applies only if the server is not running yet. */
  maxConnections?: number;
  onProgress(text: string): void;
}

type Server = Awaited<ReturnType<typeof startEmbeddedPostgres>>;

// One minute: time for the first process to create the cluster or recover it after a crash.
const MAX_TRIES = 600;
const PAUSE_MS = 100;

/** Undefined when another service runs on the same data folder. */
export async function joinEmbeddedServer(options: JoinOptions): Promise<SharedServer | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      const server = await startEmbeddedPostgres({
        dataDir: options.dataDir,
        maxConnections: options.maxConnections,
        onProgress: (text) => options.onProgress(text),
      });
      const use = await tryTakeLock(server.url, { key: USE_LOCK, shared: true });
      if (use !== undefined) return await enter(server, use, options.as);
      if (tries === MAX_TRIES) throw new Error('the embedded database is stopping but does not finish');
    } catch (error) {
      if (tries === MAX_TRIES || !isTransient(error)) throw error;
    }
    await pause(PAUSE_MS);
  }
}

// Another process is starting or stopping the server, which can break connections; a retry succeeds.
function isTransient(error: unknown): boolean {
  return !(error instanceof EmbeddedPostgresError) || error.message.includes('is starting in this data folder');
}

async function enter(server: Server, use: HeldLock, as: JoinOptions['as']): Promise<SharedServer | undefined> {
  const service = as === 'service' ? await tryTakeServiceLock(server.url) : undefined;
  if (as === 'service' && service === undefined) {
    await use.release();
    return undefined;
  }
  return {
    url: server.url,
    lost: use.lost,
    async leave() {
      await service?.release();
      await use.release();
      await stopUnlessUsed(server);
    },
  };
}

async function stopUnlessUsed(server: Server): Promise<void> {
  const held: HeldLock[] = [];
  for (const key of [USE_LOCK, SERVICE_LOCK]) {
    // No connection: another process is already stopping the server.
    const lock = await tryTakeLock(server.url, { key, shared: false }).catch(() => undefined);
    if (lock !== undefined) held.push(lock);
  }
  if (held.length === 2) await server.stop();
  await Promise.all(held.map((lock) => lock.release().catch(() => undefined)));
}
