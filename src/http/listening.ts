import { once } from 'node:events';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Where a server listens that has begun to. */
export function addressOf(server: FastifyInstance): string {
  const bound = server.server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no address');
  const { address, port, family } = bound;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

/** Rejects where the address cannot be had. */
export async function listenAt(server: Server, address: { host: string; port: number }): Promise<void> {
  server.listen(address);
  await once(server, 'listening');
}
