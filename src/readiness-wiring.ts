// Whether commits succeed is learned from the orders that are placed, and from probes.
import { setTimeout as delay } from 'node:timers/promises';
import { CommitReadiness, PROBE_INTERVAL_MS } from './actions/upkeep/commit-readiness.ts';
import type { Platform } from './platform.ts';
import { everyMs, type Worker } from './runtime/supervisor.ts';
import type { insertPlacedOrders } from './store/orders/writes.ts';
import { CommitProbe } from './store/upkeep/commit-probe.ts';

const FIRST_PROBE_LIMIT_MS = 1_000;

interface ReadinessSetup extends Pick<Platform, 'clock' | 'log'> {
  databaseUrl: string;
  insert: typeof insertPlacedOrders;
}

export function buildReadiness({ databaseUrl, clock, log, insert }: ReadinessSetup) {
  const probe = new CommitProbe(databaseUrl);
  const readiness = new CommitReadiness({ clock, probe: () => probe.run() });
  const insertPlaced: typeof insertPlacedOrders = (db, write) =>
    readiness.watch(
      () => insert(db, write),
      ({ placedIds }) => placedIds.size > 0,
    );
  const round = () => readiness.look();
  /**
   * The first probe is awaited, so that the node is ready as soon as it listens. While commits wait for a standby, a
   * probe takes long, and requests that only read can be served.
   */
  const startProbing = async (): Promise<Worker[]> => {
    const first = round().catch(() => undefined);
    await Promise.race([first, delay(FIRST_PROBE_LIMIT_MS, undefined, { ref: false })]);
    return [everyMs('commit probe', PROBE_INTERVAL_MS, { log, round: () => first.then(round) })];
  };
  return { probe, startProbing, readiness, insertPlaced };
}
