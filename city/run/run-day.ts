// Runs a day from its first order until all work is done.
import { setTimeout as pause } from 'node:timers/promises';
import { HOUR_MS } from '../../src/domain/time.ts';
import { openHistory } from '../../harness/history.ts';
import type { Pace } from './clock.ts';
import { Courier } from './courier.ts';
import type { CityDay } from '../day/day.ts';
import { Ledger } from './waits.ts';
import { readProgress, type Progress } from './progress.ts';
import { handleOrder } from './restaurant.ts';
import type { CityStage } from './stage.ts';
import type { Duty, World } from './world.ts';

export interface DayRun {
  pace: Pace;
  ledger: Ledger;
  duties: Duty[];
  /** Real time. */
  tookMs: number;
  /** Whether all orders were finished and all webhooks sent within the time limits. */
  isDrained: boolean;
}

const LOOK_EVERY_MS = 1_000;
/** The system cancels undeliverable orders after the last courier leaves; anything still open after this is stuck. */
const PATIENCE_MS = 3 * HOUR_MS;
const SENT_WITHIN_MS = 60_000;

/** Real time: how often all couriers together poll for work, at any speed. */
const ASKS_PER_SECOND = 250;
const MIN_ASK_MS = 50;
/** City time: the polling interval of the courier page. */
const PAGE_ASKS_EVERY_MS = 3_000;

export async function runDay(
  stage: CityStage,
  { day, seed }: { day: CityDay; seed: number },
  onProgress: (progress: Progress) => void,
): Promise<DayRun> {
  const startedMs = performance.now();
  const pace = stage.begin();
  const ledger = new Ledger();
  const realAskMs = Math.max(MIN_ASK_MS, (stage.couriers.length * 1_000) / ASKS_PER_SECOND);
  const world: World = {
    ...stage,
    day,
    seed,
    ledger,
    placed: new Map(),
    duties: [],
    isOver: false,
    askEveryMs: Math.max(PAGE_ASKS_EVERY_MS, realAskMs * pace.speed),
    write: openHistory(stage.clientFile),
  };
  const looking = new AbortController();
  const watched = watch(stage, { onProgress, signal: looking.signal });
  // It may reject long before it is awaited below, where the error is reported.
  watched.catch(() => undefined);
  try {
    const couriers = stage.couriers.map((courier, index) => new Courier(world, courier, index).work());
    const [isDrained] = await Promise.all([liveThrough(stage, world), ...couriers]);
    return { pace, ledger, duties: world.duties, tookMs: performance.now() - startedMs, isDrained };
  } finally {
    looking.abort();
    await watched;
  }
}

/** Resolves when every order is delivered or canceled and its webhooks are sent; then couriers end their shifts. */
async function liveThrough(stage: CityStage, world: World): Promise<boolean> {
  try {
    await Promise.all(world.day.orders.map((order) => handleOrder(world, order)));
    return await drain(stage);
  } finally {
    world.isOver = true;
  }
}

async function watch(
  stage: CityStage,
  { onProgress, signal }: { onProgress: (progress: Progress) => void; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    onProgress(await readProgress(stage.admin.db, stage.clock.now()));
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function drain({ admin, clock }: CityStage): Promise<boolean> {
  const until = clock.now() + PATIENCE_MS;
  const isOver = async (): Promise<boolean> => (await readProgress(admin.db, clock.now())).open === 0;
  while (!(await isOver())) {
    if (clock.now() > until) return false;
    await pause(LOOK_EVERY_MS);
  }
  const sentUntilMs = performance.now() + SENT_WITHIN_MS;
  while ((await readProgress(admin.db, clock.now())).webhooksWaiting > 0) {
    if (performance.now() > sentUntilMs) return false;
    await pause(LOOK_EVERY_MS / 10);
  }
  return true;
}
