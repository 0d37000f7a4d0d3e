// Cuts connections at arbitrary bytes in either direction, between service and database and between client and service.
// A caller that was waiting for an answer cannot know whether its request was carried out.
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import type { FaultProxy } from '../../harness/network/connection-proxy.ts';
import type { Stage } from '../stage/stage.ts';

const PATIENCE_MS = 30_000;

function cut(name: string, proxiesOf: (stage: Stage) => FaultProxy[]): Fault {
  return {
    name,
    isKill: false,
    async run(stage, { chance, times, onDone }) {
      const proxies = proxiesOf(stage);
      const count = (): number => proxies.reduce((sum, proxy) => sum + proxy.cuts, 0);
      const before = count();
      const until = performance.now() + PATIENCE_MS;
      for (let done = 0; done < times && performance.now() < until;) {
        for (const proxy of proxies) proxy.cutAtRandom(chance);
        await pause(50);
        for (const proxy of proxies) proxy.cutAtRandom(null);
        // Leaves the connections alone for a moment: constant cuts would prevent all progress.
        await pause(chance.below(250));
        for (; done < Math.min(times, count() - before); done += 1) onDone();
      }
    },
  };
}

export const cutDatabase = cut('connections to PostgreSQL cut', (stage) => [stage.database]);

export const cutClients = cut('connections of clients cut', (stage) =>
  stage.slots.flatMap((slot) => [slot.api, slot.commands]),
);
