// Closes the connections of a server that stops. Node does that only for those that are idle at that moment, counts
// those that have not sent anything as busy, and no longer enforces its timeouts.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const SWEEP_MS = 50;

/** Returns a function to call when the server begins to close. */
export function watchConnections(server: Server, requestTimeoutMs: number): () => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () => {
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      // Browsers open connections before they need them.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, SWEEP_MS);
    // What is still open then has not arrived in time; nobody would be answered sooner.
    const limit = setTimeout(() => server.closeAllConnections(), requestTimeoutMs);
    server.once('close', () => {
      clearInterval(sweep);
      clearTimeout(limit);
    });
  };
}
