// The database of a node, from its settings to a server that has the current schema and enough connections.
import {
  describeCrowding,
  describeShortage,
  embeddedMaxConnections,
  planConnections,
  type ConnectionBudget,
  type NodeShape,
} from './connection-budget.ts';
import { countOf } from '../domain/counts.ts';
import { joinEmbeddedServer, type SharedServer } from '../embedded/shared-server.ts';
import type { Clock } from '../platform.ts';
import { retryUntilAvailable } from '../runtime/retry-until-available.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { Config } from '../settings/config.ts';
import { describeConnectFailure, mayPass } from '../store/database/connect-failure.ts';
import { readConnectionLimits } from '../store/database/connection-limits.ts';
import { DatabaseUnavailable, toUnavailable } from '../store/database/database.ts';
import { migrate } from '../store/schema/migrate.ts';
import { SchemaError } from '../store/schema/migrations.ts';

/** Why the service can't start, as a message for the user. */
export class CannotServe extends Error {}

export type Undo = () => Promise<unknown>;
type Say = (text: string) => void;

interface Store {
  databaseUrl: string;
  /** Only an external database may become available later: nobody else starts an embedded one. */
  isExternal: boolean;
  workers: Worker[];
}

export async function openStore(
  config: Config,
  shape: NodeShape,
  { undo, say }: { undo: Undo[]; say: Say },
): Promise<Store> {
  const { databaseUrl } = config;
  if (databaseUrl !== null) return { databaseUrl, isExternal: true, workers: [] };
  let server = await joinServer(config, shape, say);
  undo.push(() => server.leave());
  const keeper: Worker = {
    name: 'embedded database',
    // If the server dies, for example because the disk is full, it is restarted; its data is still in the folder.
    async run(signal) {
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      while (!signal.aborted) {
        await Promise.race([server.lost, aborted]);
        if (!signal.aborted) server = await joinServer(config, shape, say);
      }
    },
  };
  return { databaseUrl: server.url, isExternal: false, workers: [keeper] };
}

async function joinServer(config: Config, shape: NodeShape, say: Say): Promise<SharedServer> {
  const { dataDir } = config;
  const maxConnections = embeddedMaxConnections(shape);
  const server = await joinEmbeddedServer({ dataDir, as: 'service', maxConnections, onProgress: say });
  if (server !== undefined) return server;
  throw new CannotServe(
    `Another Waybill service is using ${config.dataDir}. Stop it first, or set WAYBILL_DATA_DIR to another folder.`,
  );
}

/** Repeats a step of the start until the database is available. Undefined if the service is stopped meanwhile. */
export type WaitForDatabase = <Result>(step: () => Promise<Result>) => Promise<Result | undefined>;

export function createWait(
  { databaseUrl, isExternal }: Store,
  { say, clock, stopSignal }: { say: Say; clock: Clock; stopSignal: Promise<unknown> },
): WaitForDatabase {
  if (!isExternal) return (step) => step();
  const stopping = new AbortController();
  void stopSignal.then(() => stopping.abort());
  const explain = (error: unknown): string | undefined => {
    const reason = explainOutage(error, databaseUrl);
    return reason === undefined ? undefined : `Waiting for the database. ${reason}`;
  };
  return (step) => retryUntilAvailable(step, { explain, say, clock, signal: stopping.signal });
}

/** Migrates the database and divides its connections. */
export async function prepareDatabase(databaseUrl: string, shape: NodeShape, say: Say): Promise<ConnectionBudget> {
  const { applied } = await migrate(databaseUrl, { onProgress: say });
  if (applied.length > 0) say(`Database migrated (${countOf(applied.length, 'migration')}).`);
  return divideConnections(databaseUrl, { shape, say });
}

/** Undefined if the error is not an outage, or not one that may end. */
function explainOutage(error: unknown, databaseUrl: string): string | undefined {
  if (error instanceof CannotServe || error instanceof SchemaError) return undefined;
  // `migrate` throws what it says to people, and keeps the driver's error as the cause.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!mayPass(cause)) return undefined;
  const isOutage = toUnavailable(cause) instanceof DatabaseUnavailable;
  return isOutage ? describeConnectFailure(cause, databaseUrl) : undefined;
}

/** Refuses to start if the server allows too few connections: the node would fail later, under load. */
async function divideConnections(
  databaseUrl: string,
  { shape, say }: { shape: NodeShape; say: Say },
): Promise<ConnectionBudget> {
  const limits = await readConnectionLimits(databaseUrl);
  const plan = planConnections(shape, limits.available);
  if (!plan.ok) throw new CannotServe(describeShortage(plan));
  const warning = describeCrowding(plan.budget, limits);
  if (warning !== undefined) say(warning);
  return plan.budget;
}
