// HAProxy in front of PostgreSQL and in front of the nodes, configured as docs/high-availability.md shows.
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { startDaemon, type Daemon } from './daemon.ts';
import type { Programs } from './packages.ts';
import { until } from './until.ts';

const START = { limitMs: 10_000, pollMs: 50 };

export interface BalancerPlace {
  folder: string;
  programs: Pick<Programs, 'haproxy'>;
}

export interface Balancer {
  port: number;
  stop(): Promise<void>;
}

/** Sessions go to the member whose Patroni says that it is the primary, and are closed when that is over. */
export async function startDatabaseBalancer(
  place: BalancerPlace,
  { port, members }: { port: number; members: readonly { name: string; port: number; restPort: number }[] },
): Promise<Balancer> {
  const servers = members.map(
    (member) => `  server ${member.name} 127.0.0.1:${member.port} check port ${member.restPort}`,
  );
  return launch(place, { name: 'database', port }, [
    'global',
    '  maxconn 2000',
    'defaults',
    '  mode tcp',
    '  timeout connect 1s',
    '  timeout client 1h',
    '  timeout server 1h',
    '  timeout check 1s',
    '  retries 0',
    'listen primary',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk OPTIONS /primary',
    '  http-check expect status 200',
    '  default-server inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
  ]);
}

export interface NodeBalancer extends Balancer {
  /** New requests go to the other nodes; used to stop a version that does not drain. */
  drain(name: string): Promise<void>;
  /** Requests go to the node again, as soon as it is ready. */
  admit(name: string): Promise<void>;
}

/** What HAProxy answers itself: it has no ready node, or a node died with the request. */
export const BALANCER_CODE = 'BALANCER';

const OWN_ANSWER = [
  'HTTP/1.1 503 Service Unavailable',
  'Cache-Control: no-cache',
  'Content-Type: application/json',
  'Retry-After: 5',
  'Connection: close',
  '',
  `{"error":"SERVICE_UNAVAILABLE","message":"Try again in 5 seconds.","code":"${BALANCER_CODE}"}`,
];

/** Never repeats a request and never sends it to another node, so that clients see every mistake of a stopping node. */
export async function startNodeBalancer(
  place: BalancerPlace,
  { port, nodes }: { port: number; nodes: readonly { name: string; port: number }[] },
): Promise<NodeBalancer> {
  const ownAnswer = path.join(place.folder, 'unavailable.http');
  await writeFile(ownAnswer, OWN_ANSWER.join('\r\n'));
  const socket = path.join(place.folder, 'haproxy.sock');
  const balancer = await launch(place, { name: 'nodes', port }, [
    'global',
    '  maxconn 4000',
    `  stats socket ${socket} level admin`,
    'defaults',
    '  mode http',
    '  timeout connect 1s',
    '  timeout client 75s',
    '  timeout server 15s',
    '  timeout check 2s',
    '  retries 0',
    // Integrators get the same answer from HAProxy as from a node that cannot take an order.
    ...[502, 503, 504].map((status) => `  errorfile ${status} ${ownAnswer}`),
    'frontend clients',
    `  bind 127.0.0.1:${port}`,
    '  default_backend nodes',
    'backend nodes',
    '  balance roundrobin',
    '  option httpchk GET /readyz',
    '  http-check expect status 200',
    // Requests on a node that is no longer ready are finished: it drains, or answers with 503.
    '  default-server inter 500ms fall 1 rise 1',
    ...nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check`),
  ]);
  return {
    ...balancer,
    drain: (name) => order(socket, `set server nodes/${name} state drain`),
    admit: (name) => order(socket, `set server nodes/${name} state ready`),
  };
}

async function launch(
  { folder, programs }: BalancerPlace,
  { name, port }: { name: string; port: number },
  lines: readonly string[],
): Promise<Balancer> {
  const file = path.join(folder, `haproxy-${name}.cfg`);
  const logFile = path.join(folder, `haproxy-${name}.log`);
  await writeFile(file, `${lines.join('\n')}\n`);
  await chmod(file, 0o644);
  const daemon: Daemon = startDaemon({ file: programs.haproxy, args: ['-db', '-f', file], cwd: folder, logFile });
  await until(`HAProxy (${logFile}) listens`, START, async () => {
    if (daemon.hasEnded) throw new Error(`HAProxy ended, see ${logFile}`);
    return canConnect(port);
  });
  return { port, stop: () => daemon.end('SIGKILL').then(() => undefined) };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** One command on HAProxy's administration socket; it answers nothing if all is well. */
function order(socketPath: string, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: socketPath });
    let said = '';
    socket.setEncoding('utf8').on('data', (text: string) => (said += text));
    socket.once('error', reject);
    socket.once('close', () => (said.trim() === '' ? resolve() : reject(new Error(`HAProxy: ${said.trim()}`))));
    socket.end(`${command}\n`);
  });
}
