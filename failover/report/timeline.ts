// What the clients saw during each event: acknowledged orders and refusals in short intervals.
import { drawInline, round } from '../../harness/charts/svg.ts';
import type { EventRecord, Mark } from '../rehearsal.ts';
import type { AnswerLine } from '../stage/answers.ts';

export interface Timeline {
  number: number;
  /** From the start of the event. */
  marks: Mark[];
  stepMs: number;
  /** One entry per step. */
  acknowledged: number[];
  refused: number[];
}

/** Shown before the start and after the end. */
const MARGIN_MS = 1_000;
const MAX_STEPS = 120;
const STEPS_MS = [100, 200, 500, 1_000, 2_000];

export function countTimelines(events: readonly EventRecord[], answers: readonly AnswerLine[]): Timeline[] {
  return events.map(({ number, from, to, marks }) => {
    const begins = from - MARGIN_MS;
    const lengthMs = to + MARGIN_MS - begins;
    const stepMs = STEPS_MS.find((step) => lengthMs / step <= MAX_STEPS) ?? Math.ceil(lengthMs / MAX_STEPS);
    const acknowledged = Array.from({ length: Math.ceil(lengthMs / stepMs) }, () => 0);
    const refused = acknowledged.map(() => 0);
    for (const { at, tookMs, kind, status, isIntake } of answers) {
      const step = Math.floor((at + tookMs - begins) / stepMs);
      const isShown = step >= 0 && step < acknowledged.length && kind === 'order';
      if (isShown && isIntake) acknowledged[step] = (acknowledged[step] ?? 0) + 1;
      else if (isShown && (status === 0 || status >= 500)) refused[step] = (refused[step] ?? 0) + 1;
    }
    return {
      number,
      marks: marks.map(({ at, text }) => ({ at: Math.round(at - begins), text })),
      stepMs,
      acknowledged,
      refused,
    };
  });
}

const WIDTH = 480;
const HEIGHT = 110;
const BASE = 88;
const TOP = 8;

/** Acknowledged orders as columns, refused ones on top of them, and a line for each step of the event. */
export function drawTimeline({ number, acknowledged, refused, marks, stepMs }: Timeline, facts: string): string {
  const scale = (BASE - TOP) / Math.max(1, ...acknowledged);
  const stepWidth = WIDTH / acknowledged.length;
  const tops = acknowledged.map((count) => BASE - count * scale);
  const shown = [
    drawSteps('series0', { heights: acknowledged.map((count) => count * scale), bottoms: tops.map(() => BASE) }),
    drawSteps('series1', {
      heights: refused.map((count, step) => Math.min(count * scale, (tops[step] ?? 0) - TOP)),
      bottoms: tops,
    }),
    ...marks.map(({ at }) => {
      const x = round((at / stepMs) * stepWidth);
      return `<line class="mark" x1="${x}" x2="${x}" y1="0" y2="${BASE}"/>`;
    }),
    ...drawScale((acknowledged.length * stepMs) / 1_000),
  ];
  return drawInline({ title: `Event ${number}`, description: facts, width: WIDTH, height: HEIGHT }, shown.join(''));
}

interface Steps {
  heights: readonly number[];
  bottoms: readonly number[];
}

/** One path for all columns of a series: a report has tens of thousands of them. */
function drawSteps(style: string, { heights, bottoms }: Steps): string {
  const stepWidth = WIDTH / heights.length;
  const width = round(Math.max(0.5, stepWidth - 0.5));
  const columns = heights.map((height, step) =>
    height <= 0
      ? ''
      : `M${round(step * stepWidth)} ${round(bottoms[step] ?? 0)}v-${round(height)}h${width}v${round(height)}z`,
  );
  return `<path class="${style}" d="${columns.join('')}"/>`;
}

function drawScale(seconds: number): string[] {
  const places = [
    { x: 0, anchor: 'start' },
    { x: WIDTH / 2, anchor: 'middle' },
    { x: WIDTH, anchor: 'end' },
  ];
  return [
    `<line class="grid" x1="0" x2="${WIDTH}" y1="${BASE}" y2="${BASE}"/>`,
    ...places.map(
      ({ x, anchor }) =>
        `<text class="axis" x="${x}" y="${HEIGHT - 6}" text-anchor="${anchor}">${((x / WIDTH) * seconds).toFixed(1)} s</text>`,
    ),
  ];
}
