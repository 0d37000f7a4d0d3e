// How many database connections each pool of a node may open, so that all its processes together stay below the
// server's limit. Pure: the limit is read in store/database/connection-limits.ts.
import type { NodeRole } from '../settings/parsers.ts';
import type { PoolName, PoolSizes } from '../store/database/pools.ts';

/** The processes of a node. */
export interface NodeShape {
  /** Roles of each process that shares the port and the work. */
  shared: readonly NodeRole[];
  /** How many of those there are. */
  workers: number;
  /** Roles of one additional process; empty if there is none. */
  apart: readonly NodeRole[];
}

export interface ConnectionBudget {
  shared: PoolSizes;
  apart: PoolSizes;
  /** The most connections that the node opens, including those outside of pools. */
  total: number;
}

export type BudgetResult =
  | { ok: true; budget: ConnectionBudget }
  /** `fittingWorkers` is null if not even one fits. */
  | { ok: false; needed: number; available: number; fittingWorkers: number | null };

interface PoolRange {
  /** The minimum that works: a transaction must not make everything else wait. */
  min: number;
  /** More would not be faster: see `concurrency` of the groups that commit. */
  max: number;
  roles: readonly NodeRole[];
}

const POOL_RANGES: Record<PoolName, PoolRange> = {
  intake: { min: 2, max: 8, roles: ['api'] },
  background: { min: 2, max: 5, roles: ['api', 'deliver'] },
  panel: { min: 2, max: 4, roles: ['api'] },
  signIn: { min: 1, max: 2, roles: ['api'] },
  metrics: { min: 1, max: 1, roles: ['api', 'deliver'] },
  planner: { min: 2, max: 6, roles: ['plan'] },
};
const MAX_RANGE = Math.max(...Object.values(POOL_RANGES).map(({ min, max }) => max - min));

/** Each process listens for notifications on a separate connection. One that takes orders also probes commits. */
function sessionsOf(roles: readonly NodeRole[]): number {
  return roles.includes('api') ? 2 : 1;
}

/** For migrations, the locks of an embedded server, and connections that are closing. */
const CONNECTIONS_PER_NODE = 6;
/** For a command that runs beside the service: its pool, a migration, a lock. */
const COMMAND_CONNECTIONS = 6;

/** What PostgreSQL reserves for superusers by default. */
const RESERVED_BY_DEFAULT = 3;
const EMBEDDED_MINIMUM = 200;
const MAX_WORKERS = 64;

/** For one process, at the largest useful size. `saving` is subtracted from each pool, down to its minimum. */
export function poolSizesFor(roles: readonly NodeRole[], saving = 0): PoolSizes {
  const sizeOf = (name: PoolName): number => {
    const range = POOL_RANGES[name];
    return range.roles.some((role) => roles.includes(role)) ? Math.max(range.min, range.max - saving) : 0;
  };
  return {
    intake: sizeOf('intake'),
    background: sizeOf('background'),
    panel: sizeOf('panel'),
    signIn: sizeOf('signIn'),
    metrics: sizeOf('metrics'),
    planner: sizeOf('planner'),
  };
}

/** The largest pools that fit. `available`: connections that the server allows for regular clients. */
export function planConnections(shape: NodeShape, available: number): BudgetResult {
  for (let saving = 0; saving <= MAX_RANGE; saving += 1) {
    const budget = budgetOf(shape, saving);
    if (budget.total + COMMAND_CONNECTIONS <= available) return { ok: true, budget };
  }
  const needed = (workers: number): number => budgetOf({ ...shape, workers }, MAX_RANGE).total + COMMAND_CONNECTIONS;
  const fitting = Array.from({ length: MAX_WORKERS }, (_, index) => index + 1).filter((n) => needed(n) <= available);
  return { ok: false, needed: needed(shape.workers), available, fittingWorkers: fitting.at(-1) ?? null };
}

/** `max_connections` of an embedded server, with room for every pool at its largest. */
export function embeddedMaxConnections(shape: NodeShape): number {
  return Math.max(EMBEDDED_MINIMUM, budgetOf(shape, 0).total + COMMAND_CONNECTIONS + RESERVED_BY_DEFAULT);
}

/** The startup error if the server allows too few connections. */
export function describeShortage({ needed, available, fittingWorkers }: BudgetResult & { ok: false }): string {
  const lower = fittingWorkers === null ? '' : `, or lower WAYBILL_WORKERS to ${fittingWorkers}`;
  return (
    `The database allows ${available} connections, and this node needs at least ${needed}. ` +
    `Raise max_connections in PostgreSQL by ${needed - available} or more${lower}.`
  );
}

/** Only a warning: other clients may be about to disconnect, for example a node that this one replaces. */
export function describeCrowding(
  budget: ConnectionBudget,
  limits: { available: number; taken: number },
): string | undefined {
  if (budget.total + limits.taken <= limits.available) return undefined;
  return (
    `The database allows ${limits.available} connections, others use ${limits.taken}, and this node may open ` +
    `${budget.total}. Unless the others disconnect, raise max_connections in PostgreSQL.`
  );
}

function budgetOf({ shared, workers, apart }: NodeShape, saving: number): ConnectionBudget {
  const sizes = { shared: poolSizesFor(shared, saving), apart: poolSizesFor(apart, saving) };
  const total =
    workers * (sumOf(sizes.shared) + sessionsOf(shared)) +
    (apart.length === 0 ? 0 : sumOf(sizes.apart) + sessionsOf(apart)) +
    CONNECTIONS_PER_NODE;
  return { ...sizes, total };
}

function sumOf(sizes: PoolSizes): number {
  return Object.values(sizes).reduce((sum: number, size: number) => sum + size, 0);
}
