// Planned: the primary hands over to the synchronous standby.
import { monotonicNow } from '../stage/answers.ts';
import { MAX_GAP_MS, type EventKind } from './event.ts';

export const switchover: EventKind = {
  title: 'Planned switchover',
  mayFail: true,
  maxGapMs: MAX_GAP_MS,
  async run({ cluster, mark }) {
    const [primary, standby] = [await cluster.getPrimary(), await cluster.getSynchronousStandby()];
    mark(`switchover from ${primary.name} to ${standby.name}`);
    const startedAt = monotonicNow();
    await Promise.all([cluster.switchOver(primary, standby), cluster.waitForAnotherPrimary(primary)]);
    mark(`${standby.name} is the primary after ${Math.round(monotonicNow() - startedAt)} ms`);
    return {};
  },
};
