// Plans may wait a little; requests may not. Where a machine has fewer processors than work, a planning thread stands back.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Gives it about a third of the share of a thread that does not stand back: plans are made on a full machine, too. */
const STEPS_BACK = 5;

/**
 * Only on Linux, where every thread is scheduled by itself and has a number of its own. Elsewhere the number would mean
 * another process, or this one as a whole. False where nothing was done.
 */
export function yieldToOthers(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (!Number.isSafeInteger(threadId) || threadId === process.pid) return false;
    setPriority(threadId, Math.min(constants.priority.PRIORITY_LOW, getPriority(threadId) + STEPS_BACK));
    return true;
  } catch {
    // Without /proc, or where it is not allowed: the thread is like any other.
    return false;
  }
}
