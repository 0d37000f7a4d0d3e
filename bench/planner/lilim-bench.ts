// Runs all Li & Lim instances of a size and compares them with the best known solutions and VROOM.
import { type LiLimAnchors, listLiLim, measureLiLim, readLiLim, readLiLimAnchors, solveLiLim } from './lilim.ts';

export interface LiLimRow {
  instance: string;
  distance: number;
  vehicles: number;
  /** Not published for every instance. */
  bestKnown: number | undefined;
  /** Only measured for the 100-task set. */
  vroomLevel1: number | undefined;
  vroomLevel5: number | undefined;
  rounds: number;
  elapsedMs: number;
}

export function benchLiLim(
  folder: string,
  size: number,
  options: { timeLimitMs: number; every: number; seed: number },
): LiLimRow[] {
  const anchors = readLiLimAnchors(folder);
  const names = listLiLim(folder, size).filter((_, index) => index % options.every === 0);
  // Warm-up: code is not compiled before the first few solutions, while a running service is past that.
  for (const name of names.slice(0, 3)) solveLiLim(readLiLim(folder, size, name), options);
  return names.map((name) => solveOne(folder, { size, name, anchors }, options));
}

function solveOne(
  folder: string,
  { size, name, anchors }: { size: number; name: string; anchors: LiLimAnchors },
  options: { timeLimitMs: number; seed: number },
): LiLimRow {
  const instance = readLiLim(folder, size, name);
  const solution = solveLiLim(instance, options);
  const { distance, faults } = measureLiLim(instance, solution);
  if (solution.unserved > 0) faults.push(`${solution.unserved} pairs are not served`);
  if (faults.length > 0) throw new Error(`${name} is not valid: ${faults.slice(0, 5).join('; ')}`);
  return {
    instance: name,
    distance,
    vehicles: solution.routes.length,
    bestKnown: anchors.bestKnown.get(name),
    vroomLevel1: anchors.vroomLevel1.get(name),
    vroomLevel5: anchors.vroomLevel5.get(name),
    rounds: solution.rounds,
    elapsedMs: solution.elapsedMs,
  };
}

export interface LiLimComparison {
  /** Percentage by which our total distance exceeds theirs. */
  sum: number;
  /** Mean percentage difference, each instance weighted equally. */
  mean: number;
  instances: number;
}

/** Compares the instances that have a reference value; undefined if none has. */
export function compareLiLim(
  rows: readonly LiLimRow[],
  against: 'bestKnown' | 'vroomLevel1' | 'vroomLevel5',
): LiLimComparison | undefined {
  let own = 0;
  let theirs = 0;
  let gaps = 0;
  let instances = 0;
  for (const row of rows) {
    const anchor = row[against];
    if (anchor === undefined) continue;
    own += row.distance;
    theirs += anchor;
    gaps += 100 * (row.distance / anchor - 1);
    instances++;
  }
  return instances === 0 ? undefined : { sum: 100 * (own / theirs - 1), mean: gaps / instances, instances };
}

export function formatLiLimCsv(rows: readonly LiLimRow[]): string {
  const lines = rows.map((row) =>
    [
      row.instance,
      row.distance.toFixed(2),
      row.vehicles,
      row.bestKnown ?? '',
      row.vroomLevel1 ?? '',
      row.vroomLevel5 ?? '',
      row.rounds,
      row.elapsedMs.toFixed(0),
    ].join(','),
  );
  return `${['instance,distance,vehicles,best_known,vroom_level1,vroom_level5,rounds,cpu_ms', ...lines].join('\n')}\n`;
}
