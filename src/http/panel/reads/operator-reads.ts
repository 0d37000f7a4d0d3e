// Reads for the operator's pages: all open pages of a node share one overview query.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type {
  FailingEndpoint,
  OrderToLookAt,
  OverviewAnswer,
  SystemHealth,
} from '../../../contract/panel/operator/overview.ts';
import type { SettingView } from '../../../contract/panel/operator/audit-log.ts';
import { isFinal, STATES } from '../../../domain/orders/order.ts';
import { formatUtc, MINUTE_MS, SECOND_MS } from '../../../domain/time.ts';
import type { Clock } from '../../../platform.ts';
import type { Queryable } from '../../../store/database/database.ts';
import { readGauges } from '../../../store/upkeep/gauges.ts';
import { listFailingEndpoints, MAX_COUNTED } from '../../../store/webhooks/failing-endpoints.ts';
import { listNodes, readDatabaseSize } from '../../../store/upkeep/node-health.ts';
import { countLiveOrders, listOrdersToLookAt, type OrderCount } from '../../../store/planning/operator-overview.ts';
import { listPlannedAreas, type AreaView } from '../../../store/planning/areas.ts';
import { listSetAside } from '../../../store/upkeep/set-aside.ts';
import { readUpkeepGauges, type UpkeepGauges } from '../../../store/upkeep/upkeep-gauges.ts';
import type { Pools } from '../../../store/database/pools.ts';
import { createShortCache } from './short-cache.ts';
import { createSharedReads } from './shared-reads.ts';

const OVERVIEW_PAUSE_MS = SECOND_MS;
/** Cached for longer, because PostgreSQL checks the size of every file. */
const SIZE_KEPT_MS = MINUTE_MS;
const MAX_ORDERS = 50;
const MAX_ENDPOINTS = 50;
const MAX_SET_ASIDE = 50;

export interface OperatorReads {
  readOverview(): Promise<OverviewAnswer>;
  settings: readonly SettingView[];
}

type Delays = ReturnType<typeof monitorEventLoopDelay>;

interface Deps {
  db: Queryable;
  pools: Pick<Pools, 'stats'>;
  clock: Clock;
  settings: readonly SettingView[];
  hasMailServer: boolean;
}

export function createOperatorReads(deps: Deps): OperatorReads {
  const overview = createSharedReads<OverviewAnswer>(deps.clock, OVERVIEW_PAUSE_MS);
  const size = createShortCache<number>(deps.clock, SIZE_KEPT_MS);
  const delays = monitorEventLoopDelay();
  delays.enable();
  const readSize = () => size.get('', () => readDatabaseSize(deps.db));
  return {
    settings: deps.settings,
    readOverview: () => overview.get('', () => readOverview({ ...deps, delays, readSize })),
  };
}

async function readOverview(deps: Deps & { delays: Delays; readSize: () => Promise<number> }): Promise<OverviewAnswer> {
  const { db } = deps;
  const now = deps.clock.now();
  const [counts, toLookAt, failing, gauges, upkeep, setAside] = await Promise.all([
    countLiveOrders(db, now),
    listOrdersToLookAt(db, now, MAX_ORDERS + 1),
    listFailingEndpoints(db, MAX_ENDPOINTS),
    readGauges(db, now),
    readUpkeepGauges(db, now),
    listSetAside(db, now, MAX_SET_ASIDE),
  ]);
  const [nodes, areas, sizeBytes] = await Promise.all([listNodes(db), listPlannedAreas(db), deps.readSize()]);
  return {
    orders: {
      ...describeCounts(counts),
      toLookAt: toLookAt.slice(0, MAX_ORDERS).map(describeOrder),
      isCut: toLookAt.length > MAX_ORDERS,
    },
    endpoints: { failing: failing.map(describeEndpoint), count: gauges.failingEndpoints, mostCounted: MAX_COUNTED },
    supportCases: upkeep.supportCases,
    setAside: {
      entries: setAside.map((entry) => ({ ...entry, since: formatUtc(entry.since) })),
      count: Math.max(
        setAside.length,
        upkeep.setAside.reduce((sum, { count }) => sum + count, 0),
      ),
    },
    health: {
      nodes: nodes.map((node) => ({ ...node, startedAt: formatUtc(node.startedAt) })),
      deliveries: gauges.deliveries,
      ...describeUpkeep(upkeep, deps.hasMailServer),
      database: { sizeBytes, connections: sumConnections(deps.pools.stats()) },
      eventLoop: readDelays(deps.delays),
      planning: describePlanning(areas),
    },
  };
}

function sumConnections(pools: ReturnType<Pools['stats']>): OverviewAnswer['health']['database']['connections'] {
  const sumOf = (count: 'total' | 'idle' | 'waiting') => pools.reduce((sum, pool) => sum + pool[count], 0);
  return { total: sumOf('total'), idle: sumOf('idle'), waiting: sumOf('waiting') };
}

function describeCounts(counts: readonly OrderCount[]): Pick<OverviewAnswer['orders'], 'states' | 'waits'> {
  const total = (chosen: readonly OrderCount[]) => chosen.reduce((sum, { count }) => sum + count, 0);
  const states = STATES.filter((state) => !isFinal(state)).map((state) => {
    const mine = counts.filter((count) => count.state === state);
    return { state, count: total(mine), late: total(mine.filter(({ isLate }) => isLate)) };
  });
  const reasons = [...new Set(counts.flatMap(({ waitReason }) => waitReason ?? []))];
  const waits = reasons
    .map((reason) => ({ reason, count: total(counts.filter(({ waitReason }) => waitReason === reason)) }))
    .toSorted((one, other) => other.count - one.count);
  return { states, waits };
}

function describeOrder(order: Awaited<ReturnType<typeof listOrdersToLookAt>>[number]): OrderToLookAt {
  const { alarm } = order;
  return {
    ...order,
    createdAt: formatUtc(order.createdAt),
    alarm: alarm && { ...alarm, raisedAt: formatUtc(alarm.raisedAt) },
  };
}

function describeEndpoint(endpoint: Awaited<ReturnType<typeof listFailingEndpoints>>[number]): FailingEndpoint {
  return {
    ...endpoint,
    failingSince: formatUtc(endpoint.failingSince),
    lastSuccessAt: formatUtc(endpoint.lastSuccessAt),
    nextAttemptAt: formatUtc(endpoint.nextAttemptAt),
  };
}

function describeUpkeep(upkeep: UpkeepGauges, hasServer: boolean): Pick<SystemHealth, 'audit' | 'mails'> {
  return {
    audit: {
      differences: upkeep.differences,
      lastPassAgeSeconds: upkeep.auditPass?.ageSeconds ?? null,
      lastPassSeconds: upkeep.auditPass?.durationSeconds ?? null,
    },
    mails: { ...upkeep.mails, oldestSeconds: upkeep.oldestMailSeconds, hasServer },
  };
}

/** With two decimals: in whole milliseconds the delay would be 0 most of the time. */
function readDelays(delays: Delays): SystemHealth['eventLoop'] {
  const toMs = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? Math.round(nanoseconds / 10_000) / 100 : 0);
  const reading = { meanMs: toMs(delays.mean), p99Ms: toMs(delays.percentile(99)) };
  delays.reset();
  return reading;
}

function describePlanning(areas: readonly AreaView[]): SystemHealth['planning'] {
  const summaries = areas.flatMap(({ summary }) => summary ?? []);
  const times = areas.flatMap(({ plannedAt }) => plannedAt ?? []);
  if (summaries.length === 0 || times.length === 0) return null;
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  return {
    areas: summaries.length,
    couriers: sum(summaries.map(({ couriers }) => couriers)),
    orders: sum(summaries.map(({ orders }) => orders)),
    waiting: sum(summaries.map(({ waiting }) => waiting)),
    lastPlannedAt: formatUtc(Math.max(...times)),
    slowestMs: Math.max(...summaries.map(({ durationMs }) => durationMs)),
  };
}
