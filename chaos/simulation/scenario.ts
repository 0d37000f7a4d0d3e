// What a seed describes: days of a few restaurants, with busy minutes in which orders change and faults occur.
import { HOUR_MS } from '../../src/domain/time.ts';
import { createChance, type Chance } from '../../harness/chance.ts';
import { BAD_BEHAVIORS, drawEndpoint, type Behavior, type SimulatedEndpoint } from './endpoints.ts';
import { simulatedId } from './statement-values.ts';

export type Happening =
  | { kind: 'change'; orderId: string; restaurantId: string; isCancel: boolean }
  | { kind: 'kill'; node: number; backAfterMs: number }
  | { kind: 'freeze'; node: number; forMs: number }
  | { kind: 'cut'; node: number; side: 'both' | 'server' }
  | { kind: 'outage'; forMs: number }
  | { kind: 'pause'; forMs: number }
  | { kind: 'clock'; stepMs: number }
  | { kind: 'close'; restaurantId: string; forMs: number };

export interface Scenario {
  seed: number;
  nodes: number;
  endpoints: SimulatedEndpoint[];
  /** Sorted by time since the start of the run, on the wall clock. */
  happenings: { afterMs: number; what: Happening }[];
  lossRate: number;
  slowRate: number;
}

/** Restricts the faults and behaviors to those that can reveal a certain mistake. */
export interface Focus {
  faultKinds?: readonly FaultKind[];
  behaviors?: readonly Behavior[];
}

export function drawScenario(seed: number, startsAt: number, focus: Focus = {}): Scenario {
  const chance = createChance(seed);
  // Each seed uses a few kinds of faults, many times each: some bugs are hidden by the effects of other faults.
  const faultKinds = drawSome(chance, focus.faultKinds ?? FAULT_KINDS);
  const behaviors = drawSome(chance, focus.behaviors ?? BAD_BEHAVIORS);
  const days = 1 + chance.below(3);
  const spanMs = days * 24 * HOUR_MS;
  const restaurants = Array.from({ length: 3 + chance.below(4) }, (_, index) => simulatedId(index));
  const scenario: Scenario = {
    seed,
    nodes: 1 + chance.below(3),
    endpoints: restaurants.map((id) => drawEndpoint(chance, id, { from: startsAt, to: startsAt + spanMs, behaviors })),
    happenings: [],
    lossRate: chance.pick([0, 0, 0, 0.002, 0.02]),
    slowRate: chance.pick([0, 0, 0.01, 0.1]),
  };
  const windows = 2 + chance.below(4);
  for (let index = 0; index < windows; index += 1) {
    const startMs = index === 0 ? 5_000 : chance.below(spanMs - HOUR_MS);
    const lengthMs = 2_000 + chance.below(30_000);
    drawWindow(chance, scenario, { name: `w${index}`, startMs, lengthMs, faultKinds });
  }
  if (chance.isTrue(0.03)) drawFlood(chance, scenario);
  scenario.happenings.sort((one, other) => one.afterMs - other.afterMs);
  return scenario;
}

interface Window {
  name: string;
  startMs: number;
  lengthMs: number;
  faultKinds: readonly FaultKind[];
}

type FaultKind = Exclude<Happening['kind'], 'change'>;

const FAULT_KINDS: readonly FaultKind[] = ['kill', 'freeze', 'cut', 'outage', 'pause', 'clock', 'close'];

function drawSome<Item>(chance: Chance, items: readonly Item[]): Item[] {
  const some = items.filter(() => chance.isTrue(0.35));
  return some.length > 0 ? some : [chance.pick(items)];
}

function drawWindow(chance: Chance, scenario: Scenario, window: Window): void {
  const orders = 1 + chance.below(7);
  for (let index = 0; index < orders; index += 1) {
    const { restaurantId } = chance.pick(scenario.endpoints);
    const orderId = `${window.name}o${index}`;
    let afterMs = window.startMs + chance.below(window.lengthMs);
    const changes = 1 + chance.below(5);
    for (let version = 1; version <= changes; version += 1) {
      const isCancel = version === changes && chance.isTrue(0.3);
      scenario.happenings.push({ afterMs, what: { kind: 'change', orderId, restaurantId, isCancel } });
      // Some changes follow immediately, some while the previous webhook is under way, some after it has failed.
      afterMs += chance.below(chance.pick([5, 50, 2_000, 20_000]));
    }
  }
  const faults = chance.below(7);
  for (let index = 0; index < faults; index += 1) {
    const afterMs = window.startMs + chance.below(window.lengthMs);
    scenario.happenings.push({ afterMs, what: drawFault(chance, scenario, chance.pick(window.faultKinds)) });
  }
}

function drawFault(chance: Chance, scenario: Scenario, kind: FaultKind): Happening {
  const node = chance.below(scenario.nodes);
  switch (kind) {
    case 'kill':
      return { kind, node, backAfterMs: chance.below(chance.pick([500, 15_000])) };
    case 'freeze':
      return { kind, node, forMs: chance.below(chance.pick([6_000, 30_000])) };
    case 'cut':
      return { kind, node, side: chance.pick(['both', 'server']) };
    case 'outage':
      return { kind, forMs: chance.below(8_000) };
    case 'pause':
      return { kind, forMs: chance.below(15_000) };
    case 'clock':
      return { kind, stepMs: chance.below(2 * HOUR_MS) - HOUR_MS };
    case 'close': {
      const { restaurantId } = chance.pick(scenario.endpoints);
      return { kind, restaurantId, forMs: chance.below(chance.pick([100, 5_000, 60_000])) };
    }
  }
}

/** More deliveries for one endpoint than may be under way at a time, while the other endpoints also need service. */
function drawFlood(chance: Chance, scenario: Scenario): void {
  const { restaurantId } = chance.pick(scenario.endpoints);
  for (let index = 0; index < 300; index += 1) {
    const what: Happening = { kind: 'change', orderId: `flood${index}`, restaurantId, isCancel: false };
    scenario.happenings.push({ afterMs: 20_000 + chance.below(200), what });
  }
}
