import { once } from 'node:events';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Returns the address on which it listens. */
export async function listenShared(
  server: FastifyInstance,
  { host, port, workers }: { host: string; port: number; workers: number },
): Promise<string> {
  // Shared only between several processes: a single one must fail if the port is in use.
  const place = { host, port, reusePort: workers > 1 };
  await server.listen(place);
  return addressOf(server);
}

export function addressOf(server: FastifyInstance): string {
  const bound = server.server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no address');
  const { address, port, family } = bound;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

/** Rejects if the address is unavailable. */
export async function listenAt(server: Server, address: { host: string; port: number }): Promise<void> {
  server.listen(address);
  await once(server, 'listening');
}
