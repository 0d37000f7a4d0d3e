/** The smallest value that this share of the values does not exceed. Sorts the values in place. */
export function percentile(values: Float64Array, share: number): number {
  if (values.length === 0) throw new Error('an empty sample has no percentile');
  values.sort();
  const index = Math.min(values.length - 1, Math.max(0, Math.ceil(values.length * share) - 1));
  return values[index] ?? Number.NaN;
}

export interface Latencies {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** Sorts the values in place. */
export function summarize(valuesMs: Float64Array): Latencies {
  return { p50Ms: percentile(valuesMs, 0.5), p99Ms: percentile(valuesMs, 0.99), maxMs: percentile(valuesMs, 1) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('an empty sample has no median');
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
