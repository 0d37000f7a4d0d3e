// Both standbys are gone. In strict mode nothing is acknowledged until one of them is back.
import { setTimeout as pause } from 'node:timers/promises';
import { queryMember } from '../cluster/cluster.ts';
import type { Member } from '../cluster/member.ts';
import { until } from '../cluster/until.ts';
import { monotonicNow } from '../stage/answers.ts';
import { MAX_GAP_MS, type EventKind } from './event.ts';

/** Longer than the deadline of a request, and shorter than Patroni's patience with a member. */
const GONE_MS = 8_000;
const BACK = { limitMs: 120_000, pollMs: 100 };

export const standbysLost: EventKind = {
  title: 'Both standbys lost (strict mode)',
  mayFail: true,
  maxGapMs: MAX_GAP_MS,
  async run({ cluster, chance, mark }) {
    const primary = await cluster.getPrimary();
    const standbys = cluster.members.filter((member) => member !== primary);
    const isFreeze = chance.isTrue(0.5);
    const goneSince = monotonicNow();
    mark(isFreeze ? 'both standbys stand still' : 'both standbys are gone');
    await Promise.all(standbys.map((member) => (isFreeze ? member.freezeHost() : member.killHost())));
    await pause(GONE_MS);
    for (const member of standbys) {
      if (isFreeze) await member.thawHost();
      else member.startPatroni();
    }
    mark('both standbys come back');
    if (!isFreeze) await waitForStandby(primary);
    return { heldMs: monotonicNow() - goneSince };
  },
};

/** Until then, no standby can confirm a commit. */
async function waitForStandby(primary: Member): Promise<void> {
  await until('a standby streams again', BACK, async () => {
    const [row] = await queryMember<{ is_back: boolean }>(
      primary,
      `select exists (select from pg_stat_replication where state = 'streaming' and sync_state in ('sync', 'quorum')) as is_back`,
    );
    return row?.is_back === true;
  });
}
