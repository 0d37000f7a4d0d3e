import type { FastifyInstance } from 'fastify';

/** Where a server listens that has begun to. */
export function addressOf(server: FastifyInstance): string {
  const bound = server.server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no address');
  const { address, port, family } = bound;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
