// Enforces retention: creates upcoming weekly partitions, drops old ones, deletes old courier reports, and erases what
// integrators sent about customers. Any node may run this; a lock lets one node at a time change the partitions.
import { describeError, type SetAside } from '../../domain/upkeep/set-aside.ts';
import { DAY_MS, formatUtc, MINUTE_MS, type Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { deleteOldActs } from '../../store/couriers/actions.ts';
import { DatabaseUnavailable, type Database, type Queryable } from '../../store/database/database.ts';
import { deleteOldSupportNotes } from '../../store/upkeep/erasure.ts';
import {
  addFence,
  attachFencedWeek,
  findNewestInRest,
  isRestEmpty,
  removeFences,
  validateFence,
} from '../../store/upkeep/week-attachment.ts';
import {
  addWeek,
  deleteOldRest,
  dropWeek,
  HISTORY_TABLES,
  listWeeks,
  lockHistory,
  weekOf,
  type HistoryTable,
} from '../../store/upkeep/history.ts';
import { erasePersonalData, type PersonalDataRetention } from './erase-personal-data.ts';

export const HISTORY_INTERVAL_MS = 60_000;
const WEEKS_AHEAD = 3;
/** Exceeds both the duration of a scan of the default partition and the difference between the clocks of nodes. */
const FENCE_AHEAD_MS = 5 * MINUTE_MS;
const MAX_ROWS_PER_STATEMENT = 500;
/** An order has up to five acts, and they must be deleted as fast as orders arrive. */
const MAX_ACTS_PER_STATEMENT = 5 * MAX_ROWS_PER_STATEMENT;
const MAX_STATEMENTS_PER_ROUND = 40;

export interface Retention extends PersonalDataRetention {
  keepHistoryDays: number;
}

type WeekDeps = Pick<Platform, 'clock' | 'log'> & { db: Database };
type Deps = WeekDeps & Retention & { setAside: SetAside };

export async function keepHistory(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const before = now - deps.keepHistoryDays * DAY_MS;
  const parts: Record<string, () => Promise<unknown>> = {
    ...Object.fromEntries(HISTORY_TABLES.map((table) => [`coming ${table}`, () => makeWeeks(deps, table, now)])),
    ...Object.fromEntries(HISTORY_TABLES.map((table) => [`old ${table}`, () => dropWeeks(deps, table, before)])),
    'old acts': () => inSmallNumbers((limit) => deleteOldActs(deps.db, { before, limit }), MAX_ACTS_PER_STATEMENT),
    'old support notes': () => inSmallNumbers((limit) => deleteOldSupportNotes(deps.db, { before, limit })),
    'personal data': () => erasePersonalData(deps),
  };
  for (const [part, keep] of Object.entries(parts)) await keepPart(deps, part, keep);
}

/** A part that fails, for example because of a row that can't be deleted, must not block the others. */
async function keepPart({ log }: Pick<Deps, 'log'>, part: string, keep: () => Promise<unknown>): Promise<void> {
  try {
    await keep();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    log.error({ event: 'history.not_kept', part, reason: describeError(error) });
  }
}

/** Up to three weeks ahead. Rows written before their week exists stay in the default partition until they expire. */
export async function makeComingWeeks(deps: WeekDeps): Promise<void> {
  for (const table of HISTORY_TABLES) await makeWeeks(deps, table, deps.clock.now());
}

async function makeWeeks(deps: WeekDeps, table: HistoryTable, now: Instant): Promise<void> {
  const wanted = Array.from({ length: WEEKS_AHEAD + 1 }, (_, ahead) => weekOf(now + ahead * 7 * DAY_MS).startsAt);
  const existing = new Set(await listWeeks(deps.db, table));
  for (const startsAt of wanted.filter((week) => !existing.has(week))) {
    const isSimple = await isRestEmpty(deps.db, table);
    const added = isSimple ? await makeWeek(deps, table, startsAt) : await makeWeekBesideRows(deps, table, startsAt);
    if (added) deps.log.info({ event: 'history.week_added', table, week: formatUtc(startsAt) });
  }
}

function makeWeek(deps: WeekDeps, table: HistoryTable, startsAt: Instant): Promise<boolean> {
  return attempt(deps, async (tx) => {
    await addWeek(tx, table, startsAt);
    return true;
  });
}

/** In separate transactions, so that no writer waits while the default partition is scanned. */
async function makeWeekBesideRows(deps: WeekDeps, table: HistoryTable, startsAt: Instant): Promise<boolean> {
  const step = (work: (tx: Queryable) => Promise<unknown>) => attempt(deps, async (tx) => (await work(tx)) !== false);
  let newest: Instant | null = null;
  const isRead = await step(async (tx) => {
    newest = await findNewestInRest(tx, table, startsAt);
  });
  const week = { startsAt, beginsAt: beginningOf(startsAt, newest, deps.clock.now()) };
  if (!isRead || week.beginsAt >= weekOf(startsAt).endsAt) return false;
  const isAdded =
    (await step((tx) => addFence(tx, table, week))) &&
    (await step((tx) => validateFence(tx, table, week))) &&
    (await step((tx) => attachFencedWeek(tx, table, week)));
  // A fence without its week would reject rows once the clock reaches it. The next round retries before that.
  if (!isAdded) await step((tx) => removeFences(tx, table, startsAt));
  return isAdded;
}

function beginningOf(startsAt: Instant, newestInRest: Instant | null, now: Instant): Instant {
  const behindRows = newestInRest === null ? startsAt : newestInRest + 1;
  return Math.max(behindRows, startsAt <= now + FENCE_AHEAD_MS ? now + FENCE_AHEAD_MS : startsAt);
}

async function dropWeeks(deps: Deps, table: HistoryTable, before: Instant): Promise<void> {
  const old = (await listWeeks(deps.db, table)).filter((startsAt) => weekOf(startsAt).endsAt <= before);
  for (const startsAt of old) {
    const dropped = await attempt(deps, (tx) => dropWeek(tx, table, startsAt));
    if (dropped) deps.log.info({ event: 'history.week_dropped', table, week: formatUtc(startsAt) });
  }
  await inSmallNumbers((limit) => deps.db.transaction((tx) => deleteOldRest(tx, table, { before, limit })));
}

/** A lock held by another node, or conflicting rows, are not a failure: the next round retries. */
async function attempt(deps: WeekDeps, work: (tx: Queryable) => Promise<boolean>): Promise<boolean> {
  try {
    return await deps.db.transaction(async (tx) => (await lockHistory(tx)) && (await work(tx)));
  } catch (error) {
    if (error instanceof DatabaseUnavailable || isInTheWay(error)) return false;
    throw error;
  }
}

/** The default partition already has rows of that week, which stay there; or another node created the week first. */
function isInTheWay(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '23514' || error.code === '42P07');
}

async function inSmallNumbers(
  step: (limit: number) => Promise<number>,
  limit: number = MAX_ROWS_PER_STATEMENT,
): Promise<number> {
  let total = 0;
  for (let round = 0; round < MAX_STATEMENTS_PER_ROUND; round += 1) {
    const done = await step(limit);
    total += done;
    if (done < limit) break;
  }
  return total;
}
