// Tells the planners of all nodes that orders have changed: at once, and then, however many changes there are, a few
// times a second.
import type { Queryable } from '../store/database.ts';
import { notifyPlanners } from '../store/planning-areas.ts';

const PAUSE_MS = 100;

export interface Bell {
  ring(): void;
  close(): void;
}

export function createBell(db: Queryable): Bell {
  let pause: NodeJS.Timeout | undefined;
  let isWanted = false;
  const ring = (): void => {
    isWanted = pause !== undefined;
    if (isWanted) return;
    // A lost notice costs at most one poll.
    void notifyPlanners(db).catch(() => undefined);
    pause = setTimeout(() => {
      pause = undefined;
      if (isWanted) ring();
    }, PAUSE_MS).unref();
  };
  return {
    ring,
    close() {
      isWanted = false;
      clearTimeout(pause);
    },
  };
}
