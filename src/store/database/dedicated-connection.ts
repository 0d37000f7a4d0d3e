// A dedicated, long-lived connection for notifications and for showing that the node is alive.
import { DatabaseClient } from './connecting/client.ts';
import { asQueryable, type Queryable } from './database.ts';

export interface Session extends Queryable {
  /** Resolves when the connection is closed or lost, for any reason. */
  closed: Promise<void>;
  close(): Promise<void>;
}

/** Names of node connections in the database: `waybill api,deliver`, or `waybill plan,clock+90.0s`. */
export const NODE_NAME_PREFIX = 'waybill ';

export interface NodeName {
  roles: readonly string[];
  /** How far the machine's clock is ahead of the database's; 0 if they differ by less than a second. */
  clockOffsetMs: number;
}

function writeNodeName({ roles, clockOffsetMs }: NodeName): string {
  const sign = clockOffsetMs < 0 ? '-' : '+';
  const clock = clockOffsetMs === 0 ? [] : [`clock${sign}${(Math.abs(clockOffsetMs) / 1_000).toFixed(1)}s`];
  return `${NODE_NAME_PREFIX}${[...roles, ...clock].join(',')}`;
}

export function readNodeName(name: string): NodeName & { roles: string[] } {
  const parts = name.slice(NODE_NAME_PREFIX.length).split(',');
  const offset = parts.map((part) => /^clock([+-][\d.]+)s$/.exec(part)?.[1]).find((seconds) => seconds !== undefined);
  return {
    roles: parts.filter((part) => !part.startsWith('clock')),
    clockOffsetMs: offset === undefined ? 0 : Math.round(Number(offset) * 1_000),
  };
}

/** The name disappears with the connection, so nothing needs cleaning up after a node dies. */
export async function nameConnection(session: Queryable, name: NodeName): Promise<void> {
  await session.query(`select set_config('application_name', $1, false)`, [writeNodeName(name)]);
}

export interface SessionOptions {
  url: string;
  /** The roles of the node that owns this connection. */
  roles?: readonly string[];
  channels: readonly string[];
  onNotification(channel: string, payload: string): void;
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const client = new DatabaseClient({
    url: options.url,
    name: options.roles === undefined ? 'waybill-session' : writeNodeName({ roles: options.roles, clockOffsetMs: 0 }),
    // A node that waited for the standby here would lose its presence with it, and leave a waiting session behind with
    // each new try. What a promotion may lose is replaced by the next heartbeat, and leases are committed elsewhere.
    requiredSession: { synchronous_commit: 'local' },
    connectionTimeoutMillis: 3_000,
    query_timeout: 5_000,
    keepAlive: true,
  });
  const closed = new Promise<void>((resolve) => {
    client.on('end', () => resolve());
    // Without a listener, a lost connection would end the process.
    client.on('error', () => resolve());
  });
  client.on('notification', (message) => options.onNotification(message.channel, message.payload ?? ''));
  await client.connect();
  for (const channel of options.channels) await client.query(`listen ${channel}`);
  return {
    closed,
    ...asQueryable(client),
    close: () => client.end(),
  };
}
