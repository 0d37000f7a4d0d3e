// A real PgBouncer in front of a test database. It refuses to run as root and is then started as another user; that user
// may not connect to the embedded server, so connections to the server pass through this process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';

const PROGRAM = '/usr/sbin/pgbouncer';
/** A socket's port is only a part of its file's name. */
const PORT = '6432';
const NOBODY = { uid: 65_534, gid: 65_534 };

export function isPgBouncerInstalled(): boolean {
  return existsSync(PROGRAM);
}

export interface PoolerOptions {
  mode: 'session' | 'transaction' | 'statement';
  /** Further lines of the section `[pgbouncer]`. */
  settings?: Record<string, string | number>;
}

export interface Pooler {
  /** URL of the same database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

export async function startPgBouncer(databaseUrl: string, options: PoolerOptions): Promise<Pooler> {
  const url = new URL(databaseUrl);
  const bridge = await startBridge(url);
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-pgbouncer-'));
  const file = path.join(folder, 'pgbouncer.ini');
  const user = decodeURIComponent(url.username);
  await writeFile(file, configure(folder, { ...options, user, port: bridge.port }));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, NOBODY.uid, NOBODY.gid);
  const child = spawn(PROGRAM, ['-q', file], { stdio: 'ignore', ...(isRoot && NOBODY) });
  const socket = path.join(folder, `.s.PGSQL.${PORT}`);
  await vi.waitUntil(() => child.exitCode !== null || canConnect(socket), { timeout: 10_000 });
  if (child.exitCode !== null) throw new Error(await readFile(path.join(folder, 'log'), 'utf8'));
  url.searchParams.set('host', folder);
  url.searchParams.set('port', PORT);
  return {
    url: url.href,
    async stop() {
      const ended = once(child, 'exit');
      // SIGINT would wait for the clients.
      child.kill('SIGTERM');
      await ended;
      await bridge.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configure(
  folder: string,
  { mode, settings, user, port }: PoolerOptions & { user: string; port: number },
): string {
  const lines = {
    unix_socket_dir: folder,
    listen_port: PORT,
    logfile: path.join(folder, 'log'),
    // Every client connects as the user of the line above.
    auth_type: 'any',
    pool_mode: mode,
    ...settings,
  };
  const text = Object.entries(lines).map(([name, value]) => `${name} = ${value}`);
  return ['[databases]', `* = host=127.0.0.1 port=${port} user=${user}`, '[pgbouncer]', ...text, ''].join('\n');
}

/** Forwards connections to the Unix socket of the database. */
async function startBridge(url: URL): Promise<{ port: number; close(): Promise<void> }> {
  const socketFolder = url.searchParams.get('host');
  if (socketFolder === null) throw new Error('PgBouncer is started only for databases behind a Unix socket');
  const target = path.join(socketFolder, `.s.PGSQL.${url.searchParams.get('port') ?? '5432'}`);
  const open = new Set<Socket>();
  const bridge: Server = createServer((client) => {
    const server = connect(target);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy()).on('close', () => open.delete(one));
      one.pipe(other);
    }
  });
  bridge.listen(0, '127.0.0.1');
  await once(bridge, 'listening');
  const address = bridge.address();
  return {
    port: address === null || typeof address === 'string' ? 0 : address.port,
    async close() {
      bridge.close();
      for (const socket of open) socket.destroy();
      await once(bridge, 'close');
    },
  };
}

function canConnect(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(file);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
