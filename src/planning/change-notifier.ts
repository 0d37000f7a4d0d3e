// Notifies the planners of all nodes which orders have changed: immediately for the first change, then at most ten
// times a second.
import type { Queryable } from '../store/database/database.ts';
import { notifyPlanners } from '../store/planning/areas.ts';

const PAUSE_MS = 100;

export interface ChangeNotifier {
  note(orderId: string): void;
  close(): void;
}

export function createChangeNotifier(db: Queryable): ChangeNotifier {
  let pause: NodeJS.Timeout | undefined;
  const changed = new Set<string>();
  const notify = (): void => {
    // A lost notification costs at most one poll.
    void notifyPlanners(db, [...changed]).catch(() => undefined);
    changed.clear();
    pause = setTimeout(() => {
      pause = undefined;
      if (changed.size > 0) notify();
    }, PAUSE_MS).unref();
  };
  return {
    note(orderId) {
      changed.add(orderId);
      if (pause === undefined) notify();
    },
    close() {
      changed.clear();
      clearTimeout(pause);
    },
  };
}
