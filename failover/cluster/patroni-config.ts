// The configuration of one member, as docs/high-availability.md recommends it, with shorter times where Patroni allows.
import path from 'node:path';

export interface MemberPlace {
  name: string;
  /** Holds the configuration, the log and the data. */
  folder: string;
  port: number;
  /** What other members connect to: a proxy, so that replication can be cut. */
  linkPort: number;
  restPort: number;
  /** A small disk for the write-ahead log; undefined keeps it with the data. */
  logFolder: string | undefined;
}

/** Patroni's minimum. A primary whose host is gone is replaced when its lock is this old. */
export const TTL_SECONDS = 20;

/** More than PostgreSQL's default of 100, because four nodes may open 35 connections each. */
const MAX_CONNECTIONS = 160;

const PASSWORD = 'rehearsal';

export interface ConfigOptions {
  place: MemberPlace;
  etcdPort: number;
  postgresFolder: string;
}

/** JSON, which is valid YAML. */
export function writePatroniConfig({ place, etcdPort, postgresFolder }: ConfigOptions): string {
  const { name, folder, port, linkPort, restPort, logFolder } = place;
  const logPlace = logFolder === undefined ? [] : [{ waldir: logFolder }];
  return JSON.stringify({
    scope: 'rehearsal',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: TTL_SECONDS,
        loop_wait: 1,
        retry_timeout: 3,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        // A primary that crashed is replaced at once instead of being started again.
        primary_start_timeout: 0,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: { max_connections: MAX_CONNECTIONS, max_wal_size: '256MB', min_wal_size: '64MB' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums', ...logPlace],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${linkPort}`,
      data_dir: path.join(folder, 'data'),
      bin_dir: postgresFolder,
      basebackup: logPlace,
      pgpass: path.join(folder, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password: PASSWORD },
        replication: { username: 'replicator', password: PASSWORD },
        rewind: { username: 'rewinder', password: PASSWORD },
      },
      pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      parameters: {
        unix_socket_directories: folder,
        shared_buffers: '64MB',
        // A standby that lost its primary looks for the new one as often as this. The default is 5 s, in which nothing
        // can be confirmed.
        wal_retrieve_retry_interval: '500ms',
      },
    },
  });
}
