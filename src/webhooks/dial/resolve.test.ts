import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  answerFrom,
  startNameServer,
  type NameServer,
  type Question,
  type Reply,
} from '../../../harness/receivers/name-server.ts';
import { createNameResolver, type NameResolver } from './resolve.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-hosts-'));
const emptyHosts = join(folder, 'empty');
writeFileSync(emptyHosts, '');
afterAll(() => rmSync(folder, { recursive: true }));

const servers: NameServer[] = [];
const resolvers: NameResolver[] = [];
afterEach(async () => {
  for (const resolver of resolvers.splice(0)) resolver.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function setUp(answer: (question: Question) => Reply, hostsFile = emptyHosts) {
  const server = await startNameServer(answer);
  const time = { nowMs: 0 };
  const clock = { now: () => time.nowMs, monotonicMs: () => time.nowMs };
  const resolver = createNameResolver({ clock, servers: [server.address], hostsFile, timeoutMs: 300 });
  servers.push(server);
  resolvers.push(resolver);
  return { server, resolver, time };
}

describe('from a name server', () => {
  test('both families are queried and IPv4 comes first', async () => {
    const { resolver } = await setUp(
      answerFrom({
        'a.example.com': [
          { type: 'AAAA', data: '2606:4700::1' },
          { type: 'A', data: '93.184.216.34' },
        ],
      }),
    );
    expect(await resolver.resolve('a.example.com')).toEqual({
      ok: true,
      addresses: ['93.184.216.34', '2606:4700::1'],
      needs: 'every',
    });
  });

  test('a name that does not exist, has no address, fails or loops is not resolved', async () => {
    const { resolver } = await setUp(({ name }) => {
      if (name === 'none.example.com') return { rcode: 'NXDOMAIN' };
      if (name === 'failing.example.com') return { rcode: 'SERVFAIL' };
      if (name === 'loop.example.com') {
        const back = { type: 'CNAME', data: 'loop.example.com', name: 'other.example.com' } as const;
        return { records: [{ type: 'CNAME', data: 'other.example.com' }, back] };
      }
      return { records: [] };
    });
    expect(await resolver.resolve('none.example.com')).toEqual({ ok: false, message: 'The host name does not exist' });
    expect(await resolver.resolve('empty.example.com')).toEqual({ ok: false, message: 'The host name has no address' });
    expect(await resolver.resolve('failing.example.com')).toMatchObject({ ok: false });
    expect(await resolver.resolve('loop.example.com')).toMatchObject({ ok: false });
  });

  test('a silent name server times out after two tries without delaying another name', async () => {
    const { resolver } = await setUp(({ name }) =>
      name === 'dead.example.com' ? 'silence' : { records: [{ type: 'A', data: '93.184.216.34' }] },
    );
    const order: string[] = [];
    const dead = resolver.resolve('dead.example.com').then((resolution) => {
      order.push('dead');
      return resolution;
    });
    await resolver.resolve('alive.example.com').then(() => order.push('alive'));
    expect(await dead).toEqual({ ok: false, message: 'The name server did not respond in time' });
    expect(order).toEqual(['alive', 'dead']);
  });

  test('a missing answer for one address family does not lose the other', async () => {
    const { resolver } = await setUp(({ type }) =>
      type === 'AAAA' ? 'silence' : { records: [{ type: 'A', data: '93.184.216.34' }] },
    );
    expect(await resolver.resolve('a.example.com')).toMatchObject({ ok: true, addresses: ['93.184.216.34'] });
  });
});

describe('the cache', () => {
  const counting = (ttl: number) => {
    let count = 0;
    return ({ type }: Question): Reply => {
      if (type === 'AAAA') return { records: [] };
      count += 1;
      return { records: [{ type: 'A', data: `93.184.216.${count}`, ttl }] };
    };
  };

  test.each([
    { ttl: 0, keptMs: 1000 },
    { ttl: 10, keptMs: 10_000 },
    { ttl: 86_400, keptMs: 30_000 },
  ])('an answer with a TTL of $ttl s is kept for $keptMs ms', async ({ ttl, keptMs }) => {
    const { resolver, time } = await setUp(counting(ttl));
    expect(await resolver.resolve('a.example.com')).toMatchObject({ addresses: ['93.184.216.1'] });
    time.nowMs = keptMs - 1;
    expect(await resolver.resolve('a.example.com')).toMatchObject({ addresses: ['93.184.216.1'] });
    time.nowMs = keptMs;
    expect(await resolver.resolve('a.example.com')).toMatchObject({ addresses: ['93.184.216.2'] });
  });

  test('a failure is cached for one second', async () => {
    let isBroken = true;
    const { resolver, time } = await setUp(() =>
      isBroken ? { rcode: 'NXDOMAIN' } : { records: [{ type: 'A', data: '93.184.216.34' }] },
    );
    expect(await resolver.resolve('a.example.com')).toMatchObject({ ok: false });
    isBroken = false;
    time.nowMs = 999;
    expect(await resolver.resolve('a.example.com')).toMatchObject({ ok: false });
    time.nowMs = 1000;
    expect(await resolver.resolve('a.example.com')).toMatchObject({ ok: true });
  });

  test('a hundred concurrent attempts send one query', async () => {
    const { resolver, server } = await setUp(counting(60));
    await Promise.all(Array.from({ length: 100 }, () => resolver.resolve('a.example.com')));
    expect(server.questions.map((question) => question.type).sort()).toEqual(['A', 'AAAA']);
  });
});

describe('without a name server', () => {
  test('localhost and its subdomains are loopback addresses, even if a name server disagrees', async () => {
    const { resolver, server } = await setUp(() => ({ records: [{ type: 'A', data: '93.184.216.34' }] }));
    for (const name of ['localhost', 'receiver.localhost']) {
      expect(await resolver.resolve(name)).toEqual({ ok: true, addresses: ['127.0.0.1', '::1'], needs: 'any' });
    }
    expect(server.questions).toEqual([]);
  });

  test('the hosts file takes precedence and is read again when it changes', async () => {
    const hosts = join(folder, 'hosts');
    writeFileSync(hosts, '# comment\n10.0.0.1 One.test alias.test # note\n::1 one.test\n10.0.0.1 one.test\nnonsense\n');
    const { resolver, server, time } = await setUp(() => ({ rcode: 'NXDOMAIN' }), hosts);
    expect(await resolver.resolve('one.test')).toMatchObject({ addresses: ['10.0.0.1', '::1'] });
    expect(await resolver.resolve('alias.test')).toMatchObject({ addresses: ['10.0.0.1'], needs: 'every' });
    expect(server.questions).toEqual([]);
    writeFileSync(hosts, '10.0.0.2 one.test\n');
    time.nowMs = 1000;
    expect(await resolver.resolve('one.test')).toMatchObject({ addresses: ['10.0.0.2'] });
    rmSync(hosts);
    time.nowMs = 2000;
    expect(await resolver.resolve('one.test')).toMatchObject({ ok: false });
  });
});
