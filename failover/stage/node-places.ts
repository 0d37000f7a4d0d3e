// Where each node finds the database, and its settings: the defaults, apart from addresses and keys.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getTestAuthority } from '../../harness/receivers/receiver.ts';
import { NODE_NAMES, type NodePlace } from './nodes.ts';
import type { StageOptions } from './stage-options.ts';

interface Placing {
  options: StageOptions;
  folder: string;
  masterKey: Buffer;
  nodePorts: readonly number[];
  linePort: number;
}

export async function placeNodes({ options, folder, masterKey, nodePorts, linePort }: Placing): Promise<NodePlace[]> {
  const { cluster, name, sessionSettings = {}, nodeSettings, fakeTime } = options;
  const caFile = path.join(folder, 'ca.pem');
  await writeFile(caFile, (await getTestAuthority()).certificatePem);
  const line = new URL(cluster.urlOf(name));
  line.port = String(linePort);
  const urls = [cluster.urlOfAll(name), cluster.urlOf(name), line.href];
  return NODE_NAMES.map((node, index) => ({
    name: node,
    port: nodePorts[index] ?? 0,
    logFile: path.join(folder, `${node}.log`),
    settings: {
      DATABASE_URL: withSession(urls[index] ?? '', sessionSettings),
      WAYBILL_MASTER_KEY: masterKey.toString('base64'),
      WAYBILL_DATA_DIR: path.join(folder, node, 'data'),
      WAYBILL_WEBHOOK_CA_FILE: caFile,
      WAYBILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      WAYBILL_TRUSTED_PROXIES: '127.0.0.1',
      // One node has every role. These orders have no places, so one planner is enough.
      ...(index > 0 && { WAYBILL_ROLES: 'api,deliver' }),
      ...(index === 1 && fakeTime?.env),
      ...nodeSettings,
    },
  }));
}

function withSession(url: string, settings: Record<string, string>): string {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  if (options.length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent(options.join(' '))}`;
}
