// One connection of its own, kept for as long as it lasts: for notifications and for being seen alive.
import { Client } from 'pg';
import type { Queryable } from './database.ts';

export interface Session extends Queryable {
  /** Resolves when the connection is gone, for whatever reason. */
  closed: Promise<void>;
  close(): Promise<void>;
}

/** How the connections of nodes are called in the database; what the node does follows. */
export const NODE_NAME_PREFIX = 'waybill ';

export interface SessionOptions {
  url: string;
  /** What the node does whose connection this is. */
  roles?: readonly string[];
  channels: readonly string[];
  onNotification(channel: string, payload: string): void;
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const client = new Client({
    connectionString: options.url,
    ...(options.roles && { application_name: `${NODE_NAME_PREFIX}${options.roles.join(',')}` }),
    connectionTimeoutMillis: 3_000,
    query_timeout: 5_000,
    keepAlive: true,
  });
  const closed = new Promise<void>((resolve) => {
    client.on('end', () => resolve());
    // Without a listener a lost connection would end the process.
    client.on('error', () => resolve());
  });
  client.on('notification', (message) => options.onNotification(message.channel, message.payload ?? ''));
  await client.connect();
  for (const channel of options.channels) await client.query(`listen ${channel}`);
  return {
    closed,
    query: async <Row extends object>(
      statement: Parameters<Queryable['query']>[0],
      values: readonly unknown[] = [],
    ) => {
      const config = typeof statement === 'string' ? { text: statement } : statement;
      const result = await client.query<Row>({ ...config, values: [...values] });
      return result.rows;
    },
    close: () => client.end(),
  };
}
