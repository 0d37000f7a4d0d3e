// Collects the measurements over all repetitions, for the table and the JSON file.
import { showValue } from '../../harness/charts/svg.ts';
import type { CpuUse } from '../../harness/measure/cpu-time.ts';
import { median, summarize } from '../../harness/measure/statistics.ts';

/** The target of a figure, as a lower or upper limit. */
export interface Target {
  value: number;
  is: 'at least' | 'at most';
}

export interface Result {
  name: string;
  /** The bench that measured it. */
  bench: string;
  /** The median of the repetitions. */
  value: number;
  unit: string;
  target: number | null;
  targetIs: Target['is'] | null;
  met: boolean | null;
  repetitions: number[];
}

interface Figure {
  bench: string;
  unit: string;
  values: number[];
}

export class Report {
  #figures = new Map<string, Figure>();
  #targets: Record<string, Target>;
  #bench = '';

  constructor(targets: Record<string, Target>) {
    this.#targets = { ...targets };
  }

  /** Attributes all figures added from now on to this bench. */
  begin(bench: string): void {
    this.#bench = bench;
  }

  aim(name: string, target: Target): void {
    this.#targets[name] = target;
  }

  /** Adds one repetition's value; ignores undefined, which means not measurable on this machine. */
  add(name: string, unit: string, value: number | undefined): void {
    if (value === undefined) return;
    if (!Number.isFinite(value)) throw new Error(`${name} could not be measured`);
    const figure = this.#figures.get(name) ?? { bench: this.#bench, unit, values: [] };
    figure.values.push(value);
    this.#figures.set(name, figure);
  }

  /** CPU time by process, per thousand operations. */
  addCpu(prefix: string, cpu: CpuUse, operations: number): void {
    for (const [who, seconds] of Object.entries(cpu.seconds)) {
      this.add(`${prefix}.cpu.${who}`, 'CPU-s/1000', seconds === undefined ? undefined : (seconds * 1000) / operations);
    }
    this.add(`${prefix}.cpu.others`, '% of machine', cpu.othersShare === undefined ? undefined : cpu.othersShare * 100);
  }

  /** Adds percentiles of the requests without stolen time, if there are any, and their share of all that were sent. */
  addLatencies(prefix: string, undisturbedMs: Float64Array, sent: number): void {
    if (undisturbedMs.length > 0) {
      const { p50Ms, p99Ms } = summarize(undisturbedMs);
      this.add(`${prefix}.p50`, 'ms', p50Ms);
      this.add(`${prefix}.p99`, 'ms', p99Ms);
    }
    this.add(`${prefix}.undisturbed`, '% of them', (undisturbedMs.length * 100) / sent);
  }

  results(): Result[] {
    return [...this.#figures].map(([name, { bench, unit, values }]) => {
      const value = median(values);
      const target = this.#targets[name];
      const met =
        target === undefined ? null : target.is === 'at least' ? value >= target.value : value <= target.value;
      return {
        name,
        bench,
        value,
        unit,
        target: target?.value ?? null,
        targetIs: target?.is ?? null,
        met,
        repetitions: values,
      };
    });
  }

  table(): string {
    const head = ['figure', 'median', 'lowest', 'highest', 'unit', 'target', ''];
    const rows = this.results().map(rowOf);
    const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
    const lines = [head, widths.map((width) => '-'.repeat(width)), ...rows].map((row) =>
      row
        .map((cell, column) =>
          isNumeric(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    );
    return lines.join('\n');
  }
}

function rowOf(result: Result): string[] {
  const { name, value, unit, met, repetitions } = result;
  return [
    name,
    showValue(value),
    showValue(Math.min(...repetitions)),
    showValue(Math.max(...repetitions)),
    unit,
    showTarget(result),
    met === null ? '' : met ? 'met' : 'NOT MET',
  ];
}

export function showTarget({ target, targetIs }: Result): string {
  return target === null ? '' : `${targetIs} ${target}`;
}

function isNumeric(column: number): boolean {
  return column >= 1 && column <= 3;
}
