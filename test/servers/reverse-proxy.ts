// nginx and HAProxy with the configuration from docs/operating.md, without TLS and on a free port. Clients connect from
// several loopback addresses, so the service sees each of them as a different client.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import { readDoc } from '../docs/section.ts';
import { findFreePort } from './free-port.ts';

export type ProxyName = 'nginx' | 'haproxy';
export const PROXY_NAMES: readonly ProxyName[] = ['nginx', 'haproxy'];

const PROGRAMS = { nginx: '/usr/sbin/nginx', haproxy: '/usr/sbin/haproxy' } satisfies Record<ProxyName, string>;

export function isInstalled(name: ProxyName): boolean {
  return existsSync(PROGRAMS[name]);
}

export interface ReverseProxy {
  port: number;
  stop(): Promise<void>;
}

export async function startProxy(name: ProxyName, target: string): Promise<ReverseProxy> {
  const port = await findFreePort();
  const documented = readDocumented(name).replaceAll('127.0.0.1:8080', new URL(target).host);
  const configure = (folder: string): string =>
    name === 'nginx' ? wrapForNginx(documented, { folder, port }) : forHaproxy(documented, port);
  return launch(name, configure, port);
}

async function launch(name: ProxyName, configure: (folder: string) => string, port: number): Promise<ReverseProxy> {
  const folder = await mkdtemp(path.join(tmpdir(), `waybill-${name}-`));
  const file = path.join(folder, 'proxy.conf');
  await writeFile(file, configure(folder));
  const process = start(name, file, folder);
  await vi.waitUntil(() => process.exitCode !== null || canConnect(port), { timeout: 10_000 });
  if (process.exitCode !== null) throw new Error(`${name} ended with ${process.exitCode}, see ${folder}`);
  return {
    port,
    async stop() {
      const ended = once(process, 'exit');
      process.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function readDocumented(name: ProxyName): string {
  const [, block] = new RegExp(`\`\`\`${name}\n(.*?)\`\`\``, 's').exec(readDoc('docs/operating.md')) ?? [];
  if (block === undefined) throw new Error(`docs/operating.md shows no configuration of ${name}`);
  return block;
}

function wrapForNginx(documented: string, { folder, port }: { folder: string; port: number }): string {
  const server = documented.replace('listen 443 ssl;', `listen 127.0.0.1:${port};`).replaceAll(/^ *ssl_.*\n/gm, '');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return [
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;`,
    'events { worker_connections 1024; }',
    `http { access_log off; ${temporary.join(' ')}`,
    server,
    '}',
  ].join('\n');
}

function forHaproxy(documented: string, port: number): string {
  return documented.replace(/bind :443.*/, `bind 127.0.0.1:${port}`);
}

function start(name: ProxyName, file: string, folder: string): ChildProcess {
  const options = { stdio: 'ignore' } as const;
  if (name === 'haproxy') return spawn(PROGRAMS.haproxy, ['-db', '-f', file], options);
  const args = ['-p', folder, '-c', file, '-e', `${folder}/error.log`];
  execFileSync(PROGRAMS.nginx, [...args, '-t'], options);
  return spawn(PROGRAMS.nginx, args, options);
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

export interface ClientRequest {
  port: number;
  /** The client's own address, such as 127.0.0.2. */
  from: string;
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

export interface ClientAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: { code?: string; [key: string]: unknown };
}

// Clients keep their connections open, as browsers and integrators do.
const agents = new Map<string, Agent>();

function agentOf(from: string): Agent {
  const agent = agents.get(from) ?? new Agent({ keepAlive: true, localAddress: from });
  agents.set(from, agent);
  return agent;
}

export async function askFrom({ port, from, method = 'GET', path: target, headers, body }: ClientRequest) {
  const sent = request({ host: '127.0.0.1', port, agent: agentOf(from), method, path: target, headers });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const isJson = response.headers['content-type']?.startsWith('application/json') === true;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : { text }) as ClientAnswer['body'],
  } satisfies ClientAnswer;
}

/** HAProxy in front of several nodes: takes each out when its `/readyz` fails once, and never sends a request twice. */
export async function startBalancer(targets: readonly string[], checkIntervalMs: number): Promise<ReverseProxy> {
  const port = await findFreePort();
  const servers = targets.map(
    (target, index) => `  server node${index} ${new URL(target).host} check inter ${checkIntervalMs}ms fall 1 rise 1`,
  );
  const lines = [
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    '  timeout client 75s',
    '  timeout server 75s',
    '  retries 0',
    'frontend clients',
    `  bind 127.0.0.1:${port}`,
    '  default_backend nodes',
    'backend nodes',
    '  balance roundrobin',
    '  option httpchk GET /readyz',
    ...servers,
    '',
  ];
  return launch('haproxy', () => lines.join('\n'), port);
}
