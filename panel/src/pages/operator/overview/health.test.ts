import { expect, test } from 'vitest';
import type { OverviewAnswer } from '../../../../../src/contract/panel/operator/overview.ts';
import { formatBytes } from '../../../texts/numbers.ts';
import { listProblems } from './health.ts';

const NODE = {
  id: '1',
  startedAt: '',
  silentMs: 400,
  isAlive: true,
  roles: ['api', 'deliver'],
  sending: 0,
  clockOffsetMs: 0,
};
const WELL: OverviewAnswer = {
  orders: { states: [{ state: 'NEW', count: 3, late: 0 }], waits: [], toLookAt: [], isCut: false },
  endpoints: { failing: [], count: 0, mostCounted: 10_000 },
  supportCases: { open: 0, contacted: 2 },
  setAside: { entries: [], count: 0 },
  health: {
    nodes: [NODE],
    deliveries: { due: 12, late: 0, waiting: 5, held: 3 },
    audit: { differences: [], lastPassAgeSeconds: 60, lastPassSeconds: 2 },
    mails: { queued: 1, refused: 0, oldestSeconds: 20, hasServer: true },
    database: { sizeBytes: 1, connections: { total: 10, idle: 4, waiting: 0 } },
    eventLoop: { meanMs: 10, p99Ms: 12 },
    planning: null,
  },
};

const keysOf = (overview: OverviewAnswer) => listProblems(overview).map(({ key }) => key);
const withHealth = (health: Partial<OverviewAnswer['health']>) => ({ ...WELL, health: { ...WELL.health, ...health } });

test('a healthy installation shows no problems, even under high load', () => {
  expect(keysOf(WELL)).toEqual([]);
});

test('each problem that needs action is listed', () => {
  expect(keysOf({ ...WELL, supportCases: { open: 1, contacted: 0 } })).toEqual(['cases']);
  const late = { ...WELL.orders, states: [{ state: 'NEW' as const, count: 3, late: 1 }] };
  expect(keysOf({ ...WELL, orders: late })).toEqual(['late']);
  expect(keysOf(withHealth({ deliveries: { due: 9, late: 1, waiting: 0, held: 0 } }))).toEqual(['queue']);
  expect(keysOf(withHealth({ nodes: [NODE, { ...NODE, isAlive: false }] }))).toEqual(['nodes']);
  expect(keysOf(withHealth({ nodes: [{ ...NODE, id: null, silentMs: null }] }))).toEqual(['nodes']);
  expect(keysOf(withHealth({ nodes: [NODE, { ...NODE, clockOffsetMs: -90_000 }] }))).toEqual(['clocks']);
  expect(keysOf(withHealth({ eventLoop: { meanMs: 20, p99Ms: 900 } }))).toEqual(['loop']);
  expect(keysOf({ ...WELL, setAside: { entries: [], count: 1 } })).toEqual(['setAside']);
  const differences = [{ kind: 'sequence_gap', count: 1 }];
  expect(keysOf(withHealth({ audit: { ...WELL.health.audit, differences } }))).toEqual(['audit']);
  const connections = { total: 10, idle: 0, waiting: 4 };
  expect(keysOf(withHealth({ database: { sizeBytes: 1, connections } }))).toEqual(['database']);
});

test('a wrong clock is listed with its node, and the database’s clock is suspected if all nodes differ', () => {
  const textsOf = (...nodes: Partial<Omit<typeof NODE, 'id'> & { id: string | null }>[]) =>
    listProblems(withHealth({ nodes: nodes.map((node) => ({ ...NODE, ...node })) })).map(({ text }) => text);
  const ahead = { clockOffsetMs: 94_000 };
  expect(textsOf({}, { id: '2', ...ahead })).toEqual([
    expect.stringMatching(
      /^The clock of node 2 is 1 min ahead compared with the database's\..*Check NTP on that machine/,
    ),
  ]);
  expect(textsOf({}, { id: null, roles: ['api', 'plan'], clockOffsetMs: -2_000 })).toEqual([
    expect.stringMatching(/^The clock of the api, plan node is 2 s behind compared with the database's\./),
  ]);
  expect(textsOf({}, { id: '2', ...ahead }, { id: '3', ...ahead })).toEqual([
    expect.stringMatching(/^The clocks of node 2, node 3 differ/),
  ]);
  expect(textsOf(ahead, { id: '2', ...ahead })).toEqual([expect.stringMatching(/Check NTP on the database's machine/)]);
});

test('waiting mail is a problem only if a mail server is configured', () => {
  const stuck = { queued: 4, refused: 0, oldestSeconds: 7_200 };
  expect(keysOf(withHealth({ mails: { ...stuck, hasServer: true } }))).toEqual(['mail']);
  expect(keysOf(withHealth({ mails: { ...stuck, hasServer: false } }))).toEqual([]);
});

test('sizes are shown with a readable number of digits', () => {
  expect([512, 8_400_000, 214_000_000, 3_420_000_000].map(formatBytes)).toEqual([
    '512 B',
    '8.4 MB',
    '214 MB',
    '3.4 GB',
  ]);
});
