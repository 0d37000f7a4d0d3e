// The primary goes away: its server is killed, its host is gone, or its host stands still and then goes on as if nothing
// had happened.
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_GAP_MS, replacePrimary, type EventKind } from './event.ts';

export const primaryKilled: EventKind = {
  title: 'Primary killed (kill -9 of the server)',
  mayFail: true,
  maxGapMs: MAX_GAP_MS,
  async run(scene) {
    const { detectionMs } = await replacePrimary(scene, 'kill -9 of the primary', (primary) => primary.killServer());
    return { detectionMs };
  },
};

export const primaryHostKilled: EventKind = {
  title: "Primary's host gone (server and Patroni)",
  mayFail: true,
  maxGapMs: MAX_GAP_MS,
  async run(scene) {
    const { former, detectionMs } = await replacePrimary(scene, 'the host of the primary is gone', (primary) =>
      primary.killHost(),
    );
    former.startPatroni();
    scene.mark('the host is back');
    return { detectionMs };
  },
};

export const primaryFrozen: EventKind = {
  title: "Primary's host frozen, then thawed",
  mayFail: true,
  maxGapMs: MAX_GAP_MS,
  async run(scene) {
    const { former, detectionMs } = await replacePrimary(scene, 'the host of the primary stands still', (primary) =>
      primary.freezeHost(),
    );
    // Sometimes at once, while everyone still connects to the new primary.
    await pause(scene.chance.below(3_000));
    await former.thawHost();
    scene.mark('the former primary goes on');
    return { detectionMs };
  },
};

/** How many times the usual number of requests arrive. */
const BURST_FACTOR = 4;
const BURST_FIRST_MS = 500;

export const burstDuringPromotion: EventKind = {
  title: 'Requests during a promotion (four times the load)',
  mayFail: true,
  maxGapMs: MAX_GAP_MS,
  async run(scene) {
    const { stage } = scene;
    const { ordersPerSecond } = stage.options;
    stage.setRate(BURST_FACTOR * ordersPerSecond);
    scene.mark(`${BURST_FACTOR} times the load`);
    try {
      await pause(BURST_FIRST_MS);
      const { detectionMs } = await replacePrimary(scene, 'kill -9 of the primary', (primary) => primary.killServer());
      return { detectionMs };
    } finally {
      stage.setRate(ordersPerSecond);
    }
  },
};
