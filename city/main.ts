// `npm run city`: simulates a day in a city through the real service, at a chosen speed. Writes a report page, and
// fails if anything was lost, or late because of the software.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DataMissing, findDataFolder } from '../harness/instances/data-folder.ts';
import { listMdrp, readMdrp } from '../harness/instances/mdrp-instance.ts';
import { createProgress } from '../harness/progress.ts';
import { formatUtc, HOUR_MS } from '../src/domain/time.ts';
import { conclude, type Report } from './report/conclude.ts';
import type { CityDay } from './day/day.ts';
import { generateDay } from './day/generated-day.ts';
import { readMdrpDay } from './day/mdrp-day.ts';
import { showProgress } from './run/progress.ts';
import { makePage } from './report/page.ts';
import { runDay } from './run/run-day.ts';
import { CannotStage, openStage, type CityStage } from './run/stage.ts';

const USAGE = `npm run city [-- --orders N] [--hours H] [--speed N] [--seed N] [--instance NAME] [--out FOLDER] [--data FOLDER] [--port N] [--keep]

  --orders    number of orders (default 500, or all orders of an instance)
  --hours     length of the simulated day in hours (default 10; not with an instance)
  --speed     how many times faster than real time the simulation runs (default 60)
  --seed      seed of the generated day and of all decisions (default 1)
  --instance  an instance of the Meal Delivery Routing Problem, from the folder in WAYBILL_BENCH_DATA
  --out       folder for the report (default city/results)
  --data      empty folder for the database, which is kept (default: a temporary folder)
  --port      port of the pages (default: any free port)
  --keep      keep everything running at the end, until Ctrl-C`;

const RESULTS_FOLDER = path.join(import.meta.dirname, 'results');
const FASTEST = 600;

class WrongUsage extends Error {}

interface Wanted {
  day: CityDay;
  seed: number;
  speed: number;
  port: number;
  outFolder: string;
  dataDir: string | undefined;
  isKept: boolean;
}

function readNumber(name: string, text: string | undefined, range: { default: number; least: number; most: number }) {
  const value = text === undefined ? range.default : Number(text);
  if (value >= range.least && value <= range.most) return value;
  throw new WrongUsage(`--${name} must be a number from ${range.least} to ${range.most}.`);
}

function readWhole(name: string, text: string | undefined, range: { default: number; least: number; most: number }) {
  const value = readNumber(name, text, range);
  if (Number.isInteger(value)) return value;
  throw new WrongUsage(`--${name} must be a whole number.`);
}

function readWanted(): Wanted | 'help' {
  const { values } = parseArgs({
    options: {
      orders: { type: 'string' },
      hours: { type: 'string' },
      speed: { type: 'string' },
      seed: { type: 'string' },
      instance: { type: 'string' },
      out: { type: 'string' },
      data: { type: 'string' },
      port: { type: 'string' },
      keep: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return 'help';
  const seed = readWhole('seed', values.seed, { default: 1, least: 0, most: 2 ** 31 });
  const orders =
    values.orders === undefined
      ? undefined
      : readWhole('orders', values.orders, { default: 0, least: 1, most: 20_000 });
  const hours = readNumber('hours', values.hours, { default: 10, least: 0.1, most: 12 });
  return {
    day: chooseDay(values.instance, { orders, hours, seed }),
    seed,
    speed: readNumber('speed', values.speed, { default: 60, least: 2, most: FASTEST }),
    port: readWhole('port', values.port, { default: 0, least: 0, most: 65_535 }),
    outFolder: path.resolve(values.out ?? RESULTS_FOLDER),
    dataDir: values.data,
    isKept: values.keep === true,
  };
}

interface DayWish {
  orders: number | undefined;
  hours: number;
  seed: number;
}

function chooseDay(instance: string | undefined, { orders, hours, seed }: DayWish): CityDay {
  const generate = (): CityDay => generateDay({ seed, orders: orders ?? 500, hours });
  if (instance === undefined) return generate();
  try {
    const folder = findDataFolder(undefined);
    const names = listMdrp(folder);
    if (!names.includes(instance)) {
      throw new WrongUsage(`Unknown instance ${instance}. There are ${names.length}, such as ${names[0]}.`);
    }
    return readMdrpDay(readMdrp(folder, instance), orders);
  } catch (error) {
    if (!(error instanceof DataMissing)) throw error;
    say(
      'The public instances were not found, so the day is generated. Set WAYBILL_BENCH_DATA to their folder to use them.',
    );
    return generate();
  }
}

async function main(): Promise<number> {
  const wanted = readWanted();
  if (wanted === 'help') {
    say(USAGE);
    return 0;
  }
  const { day, speed } = wanted;
  const signaled = waitForSignal();
  say(`${day.name}: ${day.restaurants.length} restaurants, ${day.couriers.length} couriers.`);
  say('Setting up the database, the service, the receivers and all accounts.');
  const stage = await openStage(wanted);
  try {
    showHowToWatch(stage, day, speed);
    const running = runAndReport(stage, wanted);
    // After a stop signal, errors from the abandoned run are irrelevant.
    running.catch(() => undefined);
    const report = await Promise.race([running, signaled]);
    if (report === 'signaled') {
      say('\nStopping early.');
      return 1;
    }
    if (wanted.isKept) {
      say(`Still running at ${stage.address}/ until Ctrl-C.`);
      await signaled;
    }
    return report.isLost || report.lateness.isLate ? 1 : 0;
  } finally {
    await stage.close();
  }
}

function waitForSignal(): Promise<'signaled'> {
  return new Promise((resolve) => {
    // Not `once`: the terminal and npm may both send the signal, and the second must not interrupt cleanup.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve('signaled'));
  });
}

function showHowToWatch(stage: CityStage, day: CityDay, speed: number): void {
  const longestMs = Math.max(
    ...day.couriers.map(({ offAtMs }) => offAtMs),
    ...day.orders.map(({ placedAtMs }) => placedAtMs),
  );
  const minutes = Math.max(1, Math.round(longestMs / speed / 60_000));
  say(`Watch it at ${stage.address}/ as ${stage.operator.email}, password ${stage.operator.password}`);
  say(`${(longestMs / HOUR_MS).toFixed(1)} hours at ${speed} times the speed take about ${minutes} min.\n`);
}

async function runAndReport(stage: CityStage, { day, seed, outFolder }: Wanted): Promise<Report> {
  const progress = createProgress();
  const run = await runDay(stage, { day, seed }, (now) => progress.show(showProgress(now)));
  progress.end();
  if (!run.isDrained) say('Some orders or webhooks did not finish in time.');
  const { report } = await conclude(stage, day, run);
  stage.rest();
  const name = `city-${formatUtc(Date.now()).slice(0, 19).replaceAll(/[:T]/g, '-')}`;
  await mkdir(outFolder, { recursive: true });
  const page = path.join(outFolder, `${name}.html`);
  await writeFile(page, makePage(report));
  await writeFile(path.join(outFolder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  showResult(report);
  say(`\nReport: ${page}`);
  return report;
}

function showResult({ figures, webhooks, lateness, checks, isLost }: Report): void {
  say(
    `${figures.delivered} of ${figures.placed} delivered, median click to door ${figures.clickToDoor.p50.toFixed(1)} min.`,
  );
  say(
    `${webhooks.requests} webhooks for ${webhooks.events} events, 99% within ${Math.round(webhooks.latencyMs.p99)} ms.`,
  );
  for (const { name, found } of checks) for (const text of found.slice(0, 5)) say(`  ${name}: ${text}`);
  say(isLost ? 'Orders or webhooks were lost.' : 'No orders or webhooks were lost.');
  for (const { name, late, limitMs, spread } of lateness.measures) {
    if (late > 0) say(`  ${name}: ${late} of ${spread.count} over ${limitMs} ms, maximum ${Math.round(spread.max)} ms`);
  }
  for (const text of lateness.failures.slice(0, 5)) say(`  ${text}`);
  say(lateness.isLate ? 'Waybill caused delays.' : 'Waybill caused no delays.');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  // An explicit exit: after an early stop, the courier loops would keep the process alive.
  process.exit(await main());
} catch (error) {
  const isUsage = error instanceof WrongUsage || (error instanceof TypeError && 'code' in error);
  if (!isUsage && !(error instanceof CannotStage)) throw error;
  process.stderr.write(`${error.message}${isUsage ? `\n${USAGE}` : ''}\n`);
  process.exitCode = 2;
}
