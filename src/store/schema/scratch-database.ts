import { DatabaseClient } from '../database/connecting/client.ts';
import { migrate } from './migrate.ts';

/** Creates a database with only the schema, on the same server, for the duration of `work`. */
export async function withScratchDatabase<Result>(
  url: string,
  name: string,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const client = new DatabaseClient({ url, name: 'waybill-scratch' });
  await client.connect();
  const quoted = client.escapeIdentifier(name);
  const scratch = new URL(url);
  scratch.pathname = `/${name}`;
  try {
    await client.query(`create database ${quoted}`);
    try {
      await migrate(scratch.href);
      return await work(scratch.href);
    } finally {
      await client.query(`drop database if exists ${quoted} with (force)`);
    }
  } finally {
    await client.end();
  }
}
