// A real Prometheus and its promtool, as in Debian's package `prometheus`.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import { findFreePort } from './free-port.ts';

const PROMETHEUS = '/usr/bin/prometheus';
const PROMTOOL = '/usr/bin/promtool';

export function isPrometheusInstalled(): boolean {
  return existsSync(PROMETHEUS) && existsSync(PROMTOOL);
}

/** Resolves to what promtool printed, and whether it found everything correct. */
export function runPromtool(args: readonly string[]): Promise<{ isCorrect: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(PROMTOOL, args, (error, stdout, stderr) =>
      resolve({ isCorrect: error === null, output: `${stdout}${stderr}` }),
    );
  });
}

export interface Sample {
  labels: Record<string, string>;
  value: number;
}

export interface Prometheus {
  /** The current result of an expression. */
  query(expression: string): Promise<Sample[]>;
  stop(): Promise<void>;
}

export interface PrometheusSetup {
  /** The job `waybill`, each target as host and port. */
  targets: readonly string[];
  /** Text of a file with rules. */
  rules: string;
  intervalMs: number;
}

export async function startPrometheus(setup: PrometheusSetup): Promise<Prometheus> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-prometheus-'));
  const port = await findFreePort();
  const file = path.join(folder, 'prometheus.yml');
  await writeFile(path.join(folder, 'waybill.rules.yml'), setup.rules);
  await writeFile(file, configure(setup));
  const address = `127.0.0.1:${port}`;
  const child = spawn(
    PROMETHEUS,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitUntil(async () => child.exitCode !== null || (await isReady()), { timeout: 20_000 });
  if (child.exitCode !== null) {
    throw new Error(`Prometheus ended with ${child.exitCode}. Its configuration:\n${await readFile(file, 'utf8')}`);
  }
  return {
    query: (expression) => query(address, expression),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configure({ targets, intervalMs }: PrometheusSetup): string {
  return [
    'global:',
    `  scrape_interval: ${intervalMs}ms`,
    `  scrape_timeout: ${intervalMs}ms`,
    `  evaluation_interval: ${intervalMs}ms`,
    'rule_files: [waybill.rules.yml]',
    'scrape_configs:',
    '  - job_name: waybill',
    '    static_configs:',
    `      - targets: ${JSON.stringify(targets)}`,
    '',
  ].join('\n');
}

interface QueryAnswer {
  status: string;
  error?: string;
  data?: { resultType: string; result: { metric: Record<string, string>; value: [number, string] }[] };
}

async function query(address: string, expression: string): Promise<Sample[]> {
  const answer = await fetch(`http://${address}/api/v1/query`, {
    method: 'POST',
    body: new URLSearchParams({ query: expression }),
  });
  const { status, error, data } = (await answer.json()) as QueryAnswer;
  if (status !== 'success' || data === undefined) throw new Error(`${expression}: ${error}`);
  if (data.resultType !== 'vector') throw new Error(`${expression}: expected a vector, got a ${data.resultType}`);
  return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
}
