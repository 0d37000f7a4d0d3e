// Simulates names that resolve to forbidden addresses. 127.0.0.1 is opened here and its neighbors are not, so that
// "allowed" and "forbidden" can both be dialed on one machine.
import { afterEach, describe, expect, test } from 'vitest';
import { issueFor, startTlsReceiver, type HostileReceiver } from '../../../harness/receivers/hostile-receiver.ts';
import {
  startNameServer,
  type NameServerRecord,
  type Question,
  type Reply,
} from '../../../harness/receivers/name-server.ts';
import { Cleanup, createTestSender, post, says } from '../../../test/scenes/sender.ts';
import { REFUSED_ADDRESS } from '../dial/attempt-failure.ts';
import { createNameResolver } from '../dial/resolve.ts';
import type { Sender, SenderOptions } from './sender.ts';

const NAME = 'hooks.example.com';
const cleanup = new Cleanup();
afterEach(() => cleanup.run());

interface Stage {
  sender: Sender;
  receiver: HostileReceiver;
  url: string;
  /** Advances the resolver's clock, so that its cache expires. */
  passTime: (ms: number) => void;
}

async function setUp(answer: (question: Question) => Reply, options: Partial<SenderOptions> = {}): Promise<Stage> {
  const certificate = await issueFor([NAME, 'hooks.internal']);
  const script = says('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  const receiver = cleanup.add(await startTlsReceiver(script, { certificate }));
  const server = cleanup.add(await startNameServer(answer));
  let nowMs = 0;
  const clock = { now: () => nowMs, monotonicMs: () => nowMs };
  const resolver = createNameResolver({ clock, servers: [server.address], hostsFile: '/nonexistent', timeoutMs: 400 });
  const sender = cleanup.add(await createTestSender({ resolver, ...options }));
  return { sender, receiver, url: receiver.url(NAME), passTime: (ms) => void (nowMs += ms) };
}

const a = (data: string, ttl = 60): NameServerRecord => ({ type: 'A', data, ttl });
const aaaa = (data: string): NameServerRecord => ({ type: 'AAAA', data });
const always =
  (...records: NameServerRecord[]) =>
  ({ type }: Question): Reply => ({ records: records.filter((record) => record.type === type) });

test('a name whose only address is allowed is reached, and the check reports a private address', async () => {
  const { sender, url } = await setUp(always(a('127.0.0.1')));
  const outcome = await post(sender, url);
  expect(outcome).toMatchObject({ ok: true, remoteAddress: '127.0.0.1' });
  expect(outcome.dnsMs).toBeGreaterThan(0);
  expect(await sender.inspect(url)).toMatchObject({ ok: true, remoteAddress: '127.0.0.1', isPrivateAddress: true });
});

describe('rejected with a uniform message and without a connection', () => {
  test.each([
    ['a private address', [a('10.0.0.1')]],
    ['the metadata service', [a('169.254.169.254')]],
    ['a neighbor of an opened address', [a('127.0.0.2')]],
    ['one forbidden address among allowed ones', [a('127.0.0.1'), a('10.0.0.1')]],
    ['an allowed A with a forbidden AAAA', [a('127.0.0.1'), aaaa('::1')]],
    ['an allowed address in its mapped form', [aaaa('::ffff:7f00:1')]],
    ['NAT64 around a private address', [aaaa('64:ff9b::a00:1')]],
    ['a unique local address', [aaaa('fd00::1')]],
  ])('%s', async (_name, records) => {
    const { sender, receiver, url } = await setUp(always(...records));
    expect(await post(sender, url)).toMatchObject({ ok: false, ...REFUSED_ADDRESS, remoteAddress: null });
    expect(await sender.inspect(url)).toMatchObject({
      ok: false,
      ...REFUSED_ADDRESS,
      addresses: [],
      isPrivateAddress: false,
    });
    expect(receiver.acceptedCount).toBe(0);
  });

  test('a name that moved from an allowed address, as soon as its DNS answer expires', async () => {
    let address = '127.0.0.1';
    const { sender, receiver, url, passTime } = await setUp((question) => always(a(address, 10))(question));
    expect(await post(sender, url)).toMatchObject({ ok: true });
    address = '127.0.0.2';
    expect(await post(sender, url)).toMatchObject({ ok: true, remoteAddress: '127.0.0.1' });
    passTime(10_000);
    expect(await post(sender, url)).toMatchObject(REFUSED_ADDRESS);
    expect(receiver.acceptedCount).toBe(2);
  });

  test('every forbidden answer of a name that alternates with a TTL of 0', async () => {
    let count = 0;
    const { sender, receiver, url, passTime } = await setUp((question) => {
      if (question.type === 'AAAA') return { records: [] };
      count += 1;
      return { records: [a(count % 2 === 1 ? '127.0.0.1' : '10.0.0.1', 0)] };
    });
    const outcomes = [];
    for (let round = 0; round < 6; round += 1) {
      outcomes.push((await post(sender, url)).errorClass);
      passTime(1000);
    }
    expect(outcomes).toEqual([null, 'refused_address', null, 'refused_address', null, 'refused_address']);
    expect(receiver.acceptedCount).toBe(3);
  });

  test('a special name with a public address that an ordinary name may have', async () => {
    const { sender, receiver } = await setUp(always(a('93.184.216.34')));
    expect(await post(sender, receiver.url('hooks.internal'))).toMatchObject(REFUSED_ADDRESS);
  });

  test('special names when no network is allowed, without a DNS query', async () => {
    const questions: Question[] = [];
    const record = (question: Question): Reply => {
      questions.push(question);
      return { records: [] };
    };
    const { sender, receiver } = await setUp(record, { allowCidrs: [] });
    for (const name of ['localhost', 'hooks.internal', 'db']) {
      expect(await post(sender, receiver.url(name))).toMatchObject(REFUSED_ADDRESS);
    }
    expect(questions).toEqual([]);
    expect(receiver.acceptedCount).toBe(0);
  });
});

test('a special name is reached when its address is in an allowed network', async () => {
  const { sender, receiver } = await setUp(always(a('127.0.0.1')));
  expect(await post(sender, receiver.url('hooks.internal'))).toMatchObject({ ok: true });
});

test('an address that does not answer is followed by the next one', async () => {
  const options = { allowCidrs: ['127.0.0.0/8'] };
  const { sender, url } = await setUp(always(a('127.0.0.9'), a('127.0.0.1')), options);
  expect(await post(sender, url)).toMatchObject({ ok: true, remoteAddress: '127.0.0.1' });
});

describe('a name without an address fails with class dns', () => {
  test.each<[string, Reply]>([
    ['a name that does not exist', { rcode: 'NXDOMAIN' }],
    ['a name server that fails', { rcode: 'SERVFAIL' }],
    ['a name server that refuses', { rcode: 'REFUSED' }],
    ['an empty answer', { records: [] }],
    ['a loop of aliases', { records: [{ type: 'CNAME', data: NAME }] }],
    ['a name server that never answers', 'silence'],
    ['a name server that answers after its time', { records: [a('127.0.0.1')], delayMs: 2000 }],
  ])('%s', async (_name, reply) => {
    const { sender, receiver, url } = await setUp(() => reply);
    const outcome = await post(sender, url);
    expect(outcome).toMatchObject({ ok: false, errorClass: 'dns', status: null, remoteAddress: null });
    expect(receiver.acceptedCount).toBe(0);
  });

  test('the deadline also applies while a name is being resolved', async () => {
    const { sender, url } = await setUp(() => 'silence', { deadlineMs: 200 });
    const outcome = await post(sender, url);
    expect(outcome).toMatchObject({ ok: false, errorClass: 'timeout' });
    expect(outcome.totalMs).toBeLessThan(1_200);
  });
});
