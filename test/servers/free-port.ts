import { once } from 'node:events';
import { createServer } from 'node:net';

/** For a server of another program, which cannot pick a port itself or whose port must be known before it starts. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
