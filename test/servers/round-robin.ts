// A load balancer that does the minimum: it takes turns, checks `/readyz` every half second, and never repeats a request.
// Clients therefore see every mistake of a stopping node.
import { Agent, createServer, request } from 'node:http';
import { once } from 'node:events';

export const CHECK_INTERVAL_MS = 500;

export interface RoundRobin {
  port: number;
  /** For each node, the distinct answers to `/readyz`. */
  seen: ReadonlyMap<string, ReadonlySet<number>>;
  stop(): Promise<void>;
}

export async function startRoundRobin(nodes: readonly string[]): Promise<RoundRobin> {
  const ready = new Set(nodes);
  const seen = new Map(nodes.map((node) => [node, new Set<number>()]));
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const check = async (node: string): Promise<void> => {
    const status = await fetch(`${node}/readyz`, { headers: { connection: 'close' } }).then(
      (answer) => answer.status,
      () => 0,
    );
    seen.get(node)?.add(status);
    if (status === 200) ready.add(node);
    else ready.delete(node);
  };
  const checks = setInterval(() => nodes.forEach((node) => void check(node)), CHECK_INTERVAL_MS);
  const server = createServer((incoming, answer) => {
    const choices = nodes.filter((node) => ready.has(node));
    const node = choices[(turn += 1) % choices.length] ?? nodes[0] ?? '';
    const { method, url, headers } = incoming;
    // Half of the connections to nodes are new ones.
    const isFresh = turn % 4 < 2;
    const sent = request(`${node}${url}`, { method, headers, agent: isFresh ? false : agent }, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(answer);
    });
    sent.on('error', (error) => {
      if (!answer.headersSent) answer.writeHead(502).end(`${node}: ${error.message}`);
      else answer.destroy();
    });
    incoming.pipe(sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: address === null || typeof address === 'string' ? 0 : address.port,
    seen,
    async stop() {
      clearInterval(checks);
      agent.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
