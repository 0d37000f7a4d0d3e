// Geometry of the line chart. Pure.

/** Fractions of the width and the height, from the lower left. */
export interface LinePoint {
  x: number;
  y: number;
}

const MAX_STEPS = 4;
const MAX_TIME_TICKS = 5;

/** From 0 to at least `top`, in round steps. */
export function placeTicks(top: number): number[] {
  const needed = top > 0 ? top : 1;
  const magnitude = 10 ** Math.floor(Math.log10(needed / MAX_STEPS));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((size) => needed / size <= MAX_STEPS + 1e-9);
  if (step === undefined) throw new Error(`no axis ends at ${top}`);
  return Array.from({ length: Math.ceil(needed / step - 1e-9) + 1 }, (_, index) =>
    Number((index * step).toPrecision(6)),
  );
}

/** Few enough labels to fit side by side on a phone. */
export function timeTicks(instants: readonly number[]): number[] {
  const every = Math.ceil(instants.length / MAX_TIME_TICKS);
  return instants.filter((_, index) => index % every === 0);
}

/** For a view box of 1000 by 1000. A missing value interrupts the line. */
export function linePath(points: readonly (LinePoint | null)[]): string {
  return points
    .map((point, index) => {
      if (point === null) return '';
      const isFirst = (points[index - 1] ?? null) === null;
      const place = `${round(point.x * 1000)} ${round((1 - point.y) * 1000)}`;
      // A line of one point is visible too, because of its round caps.
      return isFirst ? `M${place}h0` : `L${place}`;
    })
    .join('');
}

function round(value: number): number {
  return Number(value.toFixed(1));
}
