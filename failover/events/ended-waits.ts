// Sessions that wait for a standby are canceled or killed, while replication stands still. Their transactions are
// committed on the primary, and only there. In the worst case, the primary is then lost.
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Member } from '../cluster/member.ts';
import { monotonicNow } from '../stage/answers.ts';
import { MAX_GAP_MS, replacePrimary, type EventKind, type Scene } from './event.ts';

type How = 'cancel' | 'terminate';

const HELD_MS = 1_500;
const EVERY_MS = 50;
const ENDED = { cancel: 'canceled', terminate: 'killed' } as const;

function endedWaits(title: string, how: How): EventKind {
  return {
    title,
    mayFail: true,
    maxGapMs: MAX_GAP_MS,
    async run(scene) {
      const primary = await scene.cluster.getPrimary();
      const heldSince = monotonicNow();
      try {
        await holdAndEndWaits(scene, primary, how);
      } finally {
        primary.link.hold(false);
      }
      scene.mark('replication goes on');
      return { heldMs: monotonicNow() - heldSince };
    },
  };
}

export const waitsCanceled = endedWaits('Waiting sessions canceled', 'cancel');
export const waitsKilled = endedWaits('Waiting sessions killed', 'terminate');

export const waitsLost: EventKind = {
  title: 'Waiting sessions ended, then the primary killed',
  mayFail: true,
  maxGapMs: MAX_GAP_MS,
  async run(scene) {
    const primary = await scene.cluster.getPrimary();
    const heldSince = monotonicNow();
    await holdAndEndWaits(scene, primary, scene.chance.pick(['cancel', 'terminate']));
    const heldMs = monotonicNow() - heldSince;
    try {
      const { detectionMs } = await replacePrimary(scene, 'kill -9 of the primary', () => {
        primary.killServer();
        // What was held back is lost, as with the host.
        primary.link.cutAll();
      });
      return { heldMs, detectionMs };
    } finally {
      primary.link.hold(false);
    }
  },
};

/** Leaves replication held. */
async function holdAndEndWaits({ mark }: Scene, primary: Member, how: How): Promise<void> {
  primary.link.hold(true);
  mark('replication stands still');
  const ended = await endWaits(primary, how);
  if (ended === 0) throw new Error('No session waited for a standby');
  mark(`${ended} waiting sessions ${ENDED[how]}`);
}

async function endWaits(primary: Member, how: How): Promise<number> {
  const client = new Client({ connectionString: `postgresql://postgres@127.0.0.1:${primary.place.port}/postgres` });
  client.on('error', () => undefined);
  await client.connect();
  let ended = 0;
  try {
    const endsAt = monotonicNow() + HELD_MS;
    while (monotonicNow() < endsAt) {
      const { rows } = await client.query(
        `select pg_${how}_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
      );
      ended += rows.length;
      await pause(EVERY_MS);
    }
  } finally {
    await client.end();
  }
  return ended;
}
