// docs/high-availability.md: its configurations are accepted by the programs that they are for, and its figures are those
// of the code.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { planConnections, type NodeShape } from '../src/nodes/connection-budget.ts';
import { readDoc, readSection } from './docs/section.ts';

const PAGE = 'docs/high-availability.md';
const HAPROXY = '/usr/sbin/haproxy';
const PATRONI = '/usr/bin/patroni';
const POSTGRES = '/usr/lib/postgresql/15/bin';
const run = promisify(execFile);

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-high-availability-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

function blocksOf(language: string): string[] {
  return [...readDoc(PAGE).matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);
}

async function write(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

describe('connections', () => {
  const totalOf = (shape: NodeShape): number => {
    const plan = planConnections(shape, Infinity);
    return plan.ok ? plan.budget.total : Number.NaN;
  };
  const ALL: Pick<NodeShape, 'shared' | 'apart'> = { shared: ['api', 'deliver'], apart: ['plan'] };

  test('the table of whole nodes; regenerate with UPDATE_DOCS=1 npx vitest run test/high-availability.test.ts', () => {
    const rows = [1, 2, 4].map((workers) => {
      const one = totalOf({ ...ALL, workers });
      return `| ${workers} | ${one} | ${2 * one} | ${3 * one} |\n`;
    });
    const head = '| `WAYBILL_WORKERS` | one node | two nodes | three nodes |\n| ---: | ---: | ---: | ---: |\n';
    const wanted = head + rows.join('');
    expect(readSection(PAGE, 'connections', wanted)).toBe(wanted);
  });

  test('the table of processes adds up to the same', () => {
    const shown = [...readDoc(PAGE).matchAll(/^\| (?:with|for) the? ?.*\| (\d+) \|$|^\| for planning.*\| (\d+) \|$/gm)];
    const [api = 0, deliver = 0, plan = 0, node = 0] = shown.map(([, one, other]) => Number(one ?? other));
    expect(totalOf({ ...ALL, workers: 3 })).toBe(3 * api + plan + node);
    expect(totalOf({ shared: ['api'], workers: 1, apart: [] })).toBe(api + node);
    expect(totalOf({ shared: ['deliver'], workers: 2, apart: [] })).toBe(2 * deliver + node);
    expect(totalOf({ shared: ['plan'], workers: 1, apart: [] })).toBe(plan + node);
  });

  test('the example of max_connections fits', () => {
    const sum = /= (\d+), so `max_connections: (\d+)`/.exec(readDoc(PAGE));
    expect(Number(sum?.[1])).toBe(3 * totalOf({ ...ALL, workers: 1 }) + 6 + 3 + 10);
    expect(Number(sum?.[2])).toBeGreaterThan(Number(sum?.[1]));
    expect(blocksOf('yaml')[0]).toContain(`max_connections: ${sum?.[2]} `);
  });
});

describe.skipIf(!existsSync(HAPROXY))('HAProxy', () => {
  const check = async (configuration: string): Promise<string> => {
    const [answer = ''] = blocksOf('http');
    const errorFile = await write('unavailable.http', answer.trimEnd().replaceAll('\n', '\r\n'));
    const file = await write(
      'haproxy.cfg',
      configuration
        .replaceAll('/etc/haproxy/unavailable.http', errorFile)
        .replace('bind :443 ssl crt /etc/ssl/waybill-with-key.pem', 'bind 127.0.0.1:1'),
    );
    const { stdout, stderr } = await run(HAPROXY, ['-c', '-f', file]);
    return stdout + stderr;
  };

  test.each([0, 1])('accepts configuration %i without a warning', async (index) => {
    const output = await check(blocksOf('haproxy')[index] ?? 'none');
    expect(output).toContain('valid');
    expect(output).not.toMatch(/warning|alert/i);
  });

  test('control: a misspelled option is refused', async () => {
    const wrong = (blocksOf('haproxy')[1] ?? '').replace('option httpchk', 'option httpcheck');
    await expect(check(wrong)).rejects.toThrow('httpcheck');
  });
});

describe.skipIf(!existsSync(PATRONI) || !existsSync(POSTGRES))('Patroni', () => {
  /** Patroni connects to each address: the store must answer, and its own ports must be free. */
  const validate = async (change: (text: string) => string = (text) => text): Promise<string> => {
    const store = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void store.close());
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- listens on TCP
    const { port } = store.address() as AddressInfo;
    const own = change(blocksOf('yaml')[0] ?? '')
      .replaceAll(/10\.0\.0\.\d+:2379/g, `127.0.0.1:${port}`)
      .replaceAll('10.0.0.11', '127.0.0.2')
      .replaceAll(/5432|8008/g, '1')
      .replace('/var/lib/postgresql/15/waybill', path.join(folder, 'data'));
    const file = await write('patroni.yml', own);
    const { stdout, stderr } = await run(PATRONI, ['--validate-config', file]);
    return stdout + stderr;
  };

  test('accepts the configuration', async () => {
    expect(await validate()).toBe('');
  });

  test('control: a missing user is reported', async () => {
    await expect(validate((text) => text.replace(/^ +replication: .*\n/m, ''))).rejects.toThrow('replication');
  });
});
