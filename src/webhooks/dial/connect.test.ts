import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startTlsSocketReceiver } from '../../../harness/receivers/hostile-receiver.ts';
import { getTestAuthority } from '../../../harness/receivers/receiver.ts';
import { Cleanup } from '../../../test/scenes/sender.ts';
import { systemClock, type Clock } from '../../platform.ts';
import type { AddressGuard } from './address-guard.ts';
import { REFUSED_ADDRESS, type AttemptFailure } from './attempt-failure.ts';
import { Dial, type Dialed } from './connect.ts';
import { createNameResolver } from './resolve.ts';
import { createTrust } from './trust.ts';

const cleanup = new Cleanup();
afterAll(() => cleanup.run());

/** Dials a receiver with a guard that passes this many checks; returns the result and what the receiver saw. */
async function dialWith(allowedChecks: number, clock: Clock = systemClock) {
  let bytesSeen = 0;
  const receiver = cleanup.add(await startTlsSocketReceiver((socket) => socket.resume()));
  receiver.onBytes((count) => (bytesSeen += count));
  let checks = 0;
  const guard: AddressGuard = {
    admitsSpecialNames: true,
    allows(address) {
      if (address !== '127.0.0.1') return false;
      checks += 1;
      return checks <= allowedChecks;
    },
  };
  const trust = createTrust((await getTestAuthority()).certificatePem);
  const deps = { clock, resolver: createNameResolver({ clock: systemClock }), guard, trust };
  const result = await new Promise<Dialed | AttemptFailure>((resolve) => {
    const to = { hostname: 'localhost', port: receiver.port, isSpecial: true };
    new Dial(deps, to, { onDialed: resolve, onDialFailed: resolve }).start();
  });
  if ('socket' in result) result.socket.destroy();
  await receiver.allClosed();
  return { result, acceptedCount: receiver.acceptedCount, bytesSeen };
}

test('an address is checked before it is dialed', async () => {
  expect(await dialWith(0)).toEqual({ result: REFUSED_ADDRESS, acceptedCount: 0, bytesSeen: 0 });
});

test('the address actually reached is checked before a single byte is sent to it', async () => {
  expect(await dialWith(1)).toEqual({ result: REFUSED_ADDRESS, acceptedCount: 1, bytesSeen: 0 });
});

test('when both checks pass, the connection is made', async () => {
  const { result, bytesSeen } = await dialWith(2);
  expect(result).toMatchObject({ remoteAddress: '127.0.0.1', addresses: ['127.0.0.1'] });
  expect(bytesSeen).toBeGreaterThan(0);
});

test('a process that was suspended while dialing sets no timer in the past', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  let haltedMs = 0;
  await dialWith(2, { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + (haltedMs += 30_000) });
  expect(warnings).toEqual([]);
});
