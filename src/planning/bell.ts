// Tells the planners of all nodes that orders have changed. However many changes there are, a few notices a second do.
import type { Queryable } from '../store/database.ts';
import { notifyPlanners } from '../store/planning-areas.ts';

const PAUSE_MS = 100;

export interface Bell {
  ring(): void;
  close(): void;
}

export function createBell(db: Queryable): Bell {
  let timer: NodeJS.Timeout | undefined;
  return {
    ring() {
      timer ??= setTimeout(() => {
        timer = undefined;
        // A lost notice costs at most one poll.
        void notifyPlanners(db).catch(() => undefined);
      }, PAUSE_MS).unref();
    },
    close() {
      clearTimeout(timer);
    },
  };
}
