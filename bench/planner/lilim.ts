// Li & Lim: pickup and delivery with hard time windows, solved by the same planner with distance as the only price.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { planRoutes } from '../../src/domain/planning/plan.ts';
import {
  emptyCourierColumns,
  emptyOrderColumns,
  NEVER,
  type PlanningProblem,
} from '../../src/domain/planning/search/problem.ts';
import { readNumber, readTable } from '../../harness/instances/data-folder.ts';
import { threadCpuMs } from './thread-cpu.ts';

/** Distances are real numbers; the planner uses integer units of one ten-thousandth. */
const SCALE = 10_000;

/** The price of leaving out an order: higher than any detour. */
const LEAVE_OUT = 1e9;

interface Node {
  x: number;
  y: number;
  demand: number;
  ready: number;
  due: number;
  service: number;
  delivery: number;
}

export interface LiLimInstance {
  name: string;
  vehicles: number;
  capacity: number;
  nodes: Node[];
  /** Pickup node and delivery node of each order. */
  pairs: { pickup: number; delivery: number }[];
}

export function listLiLim(folder: string, size: number): string[] {
  return readdirSync(path.join(folder, 'lilim', String(size)))
    .map((file) => file.replace(/\.txt$/, ''))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

export function readLiLim(folder: string, size: number, name: string): LiLimInstance {
  const text = readFileSync(path.join(folder, 'lilim', String(size), `${name}.txt`), 'utf8');
  const [head = [], ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.trim().split(/\s+/).map(Number));
  const nodes = rows.map(([, x = 0, y = 0, demand = 0, ready = 0, due = 0, service = 0, , delivery = 0]) => {
    return { x, y, demand, ready, due, service, delivery };
  });
  const pairs = nodes.flatMap((node, pickup) => (node.delivery > 0 ? [{ pickup, delivery: node.delivery }] : []));
  return { name, vehicles: head[0] ?? 0, capacity: head[1] ?? 0, nodes, pairs };
}

function toProblem(instance: LiLimInstance): PlanningProblem {
  const { nodes, pairs, vehicles } = instance;
  const travel = new Int32Array(nodes.length * nodes.length);
  for (const [from, a] of nodes.entries()) {
    for (const [to, b] of nodes.entries()) {
      travel[from * nodes.length + to] = Math.round(Math.hypot(a.x - b.x, a.y - b.y) * SCALE);
    }
  }
  const { stops, orders } = emptyOrderColumns(pairs.length);
  for (const [order, pair] of pairs.entries()) {
    for (const [offset, index] of [pair.pickup, pair.delivery].entries()) {
      const node = nodes[index];
      if (node === undefined) throw new Error(`${instance.name} has no node ${index}`);
      stops.location[2 * order + offset] = index;
      stops.earliest[2 * order + offset] = node.ready * SCALE;
      stops.latest[2 * order + offset] = node.due * SCALE;
      stops.leaving[2 * order + offset] = node.service * SCALE;
    }
    orders.size[order] = nodes[pair.pickup]?.demand ?? 0;
    orders.leaveOutPrice[order] = LEAVE_OUT;
  }
  const couriers = emptyCourierColumns(vehicles);
  couriers.capacity.fill(instance.capacity);
  couriers.endLocation.fill(0);
  couriers.endLatest.fill((nodes[0]?.due ?? 0) * SCALE);
  return {
    locationCount: nodes.length,
    travel,
    stops,
    orders,
    couriers,
    prices: { travel: 1, waiting: 0, delay: 0, lateness: 0, latenessSquared: 0, maxPastSeconds: NEVER },
    mixing: 'any',
    maxRouteStops: 2 * pairs.length,
    lastRoutes: [],
    lockedStops: new Int32Array(vehicles),
  };
}

export interface LiLimSolution {
  /** Node numbers without the depot. */
  routes: number[][];
  unserved: number;
  rounds: number;
  elapsedMs: number;
}

/** Share of the time limit for the search; the steps after it take a few milliseconds of the same limit. */
const SEARCH_SHARE = 0.95;

export function solveLiLim(instance: LiLimInstance, options: { timeLimitMs: number; seed: number }): LiLimSolution {
  const startMs = threadCpuMs();
  const problem = toProblem(instance);
  const searchMs = SEARCH_SHARE * options.timeLimitMs;
  const elapsedShare = (): number => (threadCpuMs() - startMs) / searchMs;
  const plan = planRoutes(problem, { seed: options.seed, maxRounds: 1e9, elapsedShare });
  const elapsedMs = threadCpuMs() - startMs;
  const routes = plan.routes
    .filter((route) => route.length > 0)
    .map((route) => route.map(({ stop }) => problem.stops.location[stop] ?? 0));
  return { routes, unserved: plan.waiting.length, rounds: plan.rounds, elapsedMs };
}

/** Validates a solution in real numbers, independently of the planner, and measures its distance. */
export function measureLiLim(instance: LiLimInstance, solution: LiLimSolution): { distance: number; faults: string[] } {
  const faults: string[] = [];
  const { nodes } = instance;
  const depot = nodes[0];
  if (depot === undefined) throw new Error(`${instance.name} has no depot`);
  const position = new Map<number, { route: number; index: number }>();
  let distance = 0;
  for (const [number, route] of solution.routes.entries()) {
    let previous = depot;
    let time = 0;
    let load = 0;
    for (const [index, id] of route.entries()) {
      const node = nodes[id];
      if (node === undefined || position.has(id)) faults.push(`node ${id} is unknown or appears twice`);
      if (node === undefined) continue;
      position.set(id, { route: number, index });
      const hop = Math.hypot(node.x - previous.x, node.y - previous.y);
      distance += hop;
      // Tolerates a hundredth: the planner rounds each leg to a ten-thousandth, and routes have many legs.
      time = Math.max(node.ready, time + previous.service + hop);
      if (time > node.due + 1e-2) faults.push(`node ${id} is served at ${time}, due ${node.due}`);
      load += node.demand;
      if (load > instance.capacity) faults.push(`route ${number} carries ${load} after node ${id}`);
      previous = node;
    }
    const home = Math.hypot(depot.x - previous.x, depot.y - previous.y);
    distance += home;
    if (time + previous.service + home > depot.due + 1e-2) faults.push(`route ${number} returns to the depot too late`);
  }
  for (const { pickup, delivery } of instance.pairs) {
    const from = position.get(pickup);
    const to = position.get(delivery);
    if (from === undefined && to === undefined) continue;
    if (from?.route !== to?.route || (from?.index ?? 0) >= (to?.index ?? 0))
      faults.push(`the stops of pair ${pickup} are in different routes`);
  }
  if (position.size !== 2 * (instance.pairs.length - solution.unserved)) faults.push('some nodes are missing');
  if (solution.routes.length > instance.vehicles) faults.push('too many vehicles');
  return { distance, faults };
}

export interface LiLimAnchors {
  bestKnown: Map<string, number>;
  vroomLevel1: Map<string, number>;
  vroomLevel5: Map<string, number>;
}

export function readLiLimAnchors(folder: string): LiLimAnchors {
  const bestKnown = readTable(path.join(folder, 'lilim-best-known.csv'), ',');
  const vroom = readTable(path.join(folder, 'lilim-vroom.csv'), ',');
  return {
    bestKnown: new Map(bestKnown.map((row) => [row['instance'] ?? '', readNumber(row, 'distance')])),
    vroomLevel1: new Map(vroom.map((row) => [row['instance'] ?? '', readNumber(row, 'vroom_x1_distance')])),
    vroomLevel5: new Map(vroom.map((row) => [row['instance'] ?? '', readNumber(row, 'vroom_x5_distance')])),
  };
}
