// The programs of the cluster, from Debian's packages. Installs missing ones for root; prints the command for everyone
// else.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Programs {
  patroni: string;
  etcd: string;
  haproxy: string;
  /** Folder of initdb, postgres and the others. */
  postgres: string;
}

/** Its message is one sentence for the person who starts the rehearsal. */
export class MissingPackages extends Error {}

const POSTGRES_FOLDER = '/usr/lib/postgresql';
// Patroni 3.0 talks to etcd through its older interface; see 0057 for why.
const PYTHON_ETCD = '/usr/lib/python3/dist-packages/etcd';
const PACKAGES: Readonly<Record<string, () => boolean>> = {
  postgresql: () => findPostgres() !== undefined,
  patroni: () => existsSync('/usr/bin/patroni'),
  'python3-etcd': () => existsSync(PYTHON_ETCD),
  'etcd-server': () => existsSync('/usr/bin/etcd'),
  haproxy: () => existsSync('/usr/sbin/haproxy'),
};

export function listMissingPackages(): string[] {
  return Object.entries(PACKAGES).flatMap(([name, isInstalled]) => (isInstalled() ? [] : [name]));
}

export function describeMissing(missing: readonly string[]): string {
  return `The rehearsal needs Debian's packages. Install the missing ones: apt-get install ${missing.join(' ')}`;
}

export function findPrograms(say: (line: string) => void): Programs {
  const missing = listMissingPackages();
  if (missing.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    say(`Installing Debian's ${missing.join(', ')}`);
    install(missing);
  }
  const stillMissing = listMissingPackages();
  if (stillMissing.length > 0) throw new MissingPackages(describeMissing(stillMissing));
  return {
    patroni: '/usr/bin/patroni',
    etcd: '/usr/bin/etcd',
    haproxy: '/usr/sbin/haproxy',
    postgres: findPostgres() ?? '',
  };
}

export function readPostgresVersion({ postgres }: Programs): string {
  const text = execFileSync(path.join(postgres, 'postgres'), ['--version'], { encoding: 'utf8' });
  return /[\d.]+/.exec(text)?.[0] ?? 'unknown';
}

/** The newest version that is installed. */
function findPostgres(): string | undefined {
  if (!existsSync(POSTGRES_FOLDER)) return undefined;
  const versions = readdirSync(POSTGRES_FOLDER).toSorted((one, other) => Number(other) - Number(one));
  return versions
    .map((version) => path.join(POSTGRES_FOLDER, version, 'bin'))
    .find((folder) => existsSync(path.join(folder, 'postgres')));
}

const POLICY = '/usr/sbin/policy-rc.d';
const CLUSTER_SETTINGS_FILE = '/etc/postgresql-common/createcluster.d/waybill-rehearsal.conf';

/** Without the services that these packages would start, and without a cluster of their own. */
function install(names: readonly string[]): void {
  const hadPolicy = existsSync(POLICY);
  if (!hadPolicy) {
    writeFileSync(POLICY, '#!/bin/sh\nexit 101\n');
    chmodSync(POLICY, 0o755);
  }
  mkdirSync(path.dirname(CLUSTER_SETTINGS_FILE), { recursive: true });
  writeFileSync(CLUSTER_SETTINGS_FILE, 'create_main_cluster = false\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]): void => void execFileSync('apt-get', ['-qq', ...args], { env, stdio: 'ignore' });
  try {
    apt('update');
    apt('install', '-y', '--no-install-recommends', ...names);
  } catch {
    // What is missing afterwards is named to the user.
  } finally {
    if (!hadPolicy) rmSync(POLICY);
    rmSync(CLUSTER_SETTINGS_FILE);
  }
}
