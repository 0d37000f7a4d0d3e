// CPU time used by processes: unlike elapsed time, it does not change when the machine is busy with other work.
import { readdir, readFile } from 'node:fs/promises';

const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  parent: number;
  ownSeconds: number;
  /** CPU time of children that have ended. */
  endedSeconds: number;
}

/** Undefined on systems without /proc. */
export async function readCpuSeconds(pid: number): Promise<number | undefined> {
  return (await readTimes(pid))?.ownSeconds;
}

/** CPU time of a process and its children, including those that have ended. */
export async function readTreeCpuSeconds(root: number): Promise<number | undefined> {
  const rootTimes = await readTimes(root);
  if (rootTimes === undefined) return undefined;
  let seconds = rootTimes.ownSeconds + rootTimes.endedSeconds;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  for (const times of await Promise.all(pids.map((pid) => readTimes(pid)))) {
    if (times?.parent === root) seconds += times.ownSeconds + times.endedSeconds;
  }
  return seconds;
}

async function readTimes(pid: number): Promise<ProcessTimes | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name, in parentheses, may contain any characters; the fields after it are numbers. See proc_pid_stat(5).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    parent: field(4),
    ownSeconds: (field(14) + field(15)) / TICKS_PER_SECOND,
    endedSeconds: (field(16) + field(17)) / TICKS_PER_SECOND,
  };
}

export type Meter = () => Promise<number | undefined>;

export interface CpuUse {
  /** Keyed by the name of the meter. */
  seconds: Record<string, number | undefined>;
  /** CPU share of all other processes, from 0 to 1: measurements taken while it is high are noise. */
  othersShare: number | undefined;
}

/** Reads several meters before and after some work; returns the differences. */
export async function measureCpu<Result>(
  meters: Record<string, Meter>,
  work: () => Promise<Result>,
): Promise<{ result: Result; cpu: CpuUse }> {
  const before = await readAll({ ...meters, ...MACHINE });
  const result = await work();
  const after = await readAll({ ...meters, ...MACHINE });
  const used = (name: string): number | undefined => {
    const [from, to] = [before[name], after[name]];
    return from === undefined || to === undefined ? undefined : to - from;
  };
  const seconds = Object.fromEntries(Object.keys(meters).map((name) => [name, used(name)]));
  const ours = Object.values(seconds).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const [busy, whole] = [used('machineBusy'), used('machineWhole')];
  const isKnown = busy !== undefined && whole !== undefined && whole > 0;
  return { result, cpu: { seconds, othersShare: isKnown ? Math.max(0, busy - ours) / whole : undefined } };
}

const MACHINE: Record<string, Meter> = {
  machineBusy: async () => (await readMachine())?.busy,
  machineWhole: async () => (await readMachine())?.whole,
};

async function readMachine(): Promise<{ busy: number; whole: number } | undefined> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // user nice system idle iowait irq softirq steal; see proc_stat(5).
  const ticks = (text.split('\n')[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number);
  const whole = ticks.reduce((sum, value) => sum + value, 0) / TICKS_PER_SECOND;
  const idle = ((ticks[3] ?? 0) + (ticks[4] ?? 0)) / TICKS_PER_SECOND;
  return { busy: whole - idle, whole };
}

async function readAll(meters: Record<string, Meter>): Promise<Record<string, number | undefined>> {
  const read = await Promise.all(Object.entries(meters).map(async ([name, meter]) => [name, await meter()] as const));
  return Object.fromEntries(read);
}
