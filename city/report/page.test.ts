import { expect, test } from 'vitest';
import type { Report } from './conclude.ts';
import { countFigures } from './figures.ts';
import { judgeLateness } from './lateness.ts';
import { makePage } from './page.ts';
import { spreadOf } from './spread.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

const report: Report = {
  day: 'a <small> day',
  speed: 60,
  opensAt: '2026-03-01T11:00:00.000Z',
  closedAt: '2026-03-01T21:40:00.000Z',
  tookSeconds: 640,
  machine: 'On 2 cores.',
  restaurants: 3,
  figures: {
    ...countFigures({ orders: [], offers: [], duties: [], courierNames: new Map(), opensAt: NOON }),
    placed: 2,
    delivered: 2,
    clickToDoorMinutes: [21, 34],
    readyToPickupMinutes: [0, 3],
    couriers: [{ name: 'Ada', onDutyMinutes: 240, busyMinutes: 100, delivered: 2 }],
  },
  webhooks: { events: 14, requests: 14, latencyMs: spreadOf([8, 20]), latenciesMs: [8, 20] },
  lateness: judgeLateness({
    waits: [{ request: 'order', orderId: 'A', tookMs: 12 }],
    toOffer: [],
    plans: [],
    webhooksMs: [8, 20],
    lostOffers: [],
    failures: [],
    complaints: [],
    lagsMs: [],
  }),
  oursMs: spreadOf([100]),
  checks: [{ name: 'every event got a 2xx', found: [] }],
  isLost: false,
};

test('the page is self-contained: it fetches and runs nothing, and all text is escaped', () => {
  const page = makePage(report);
  expect(page).not.toMatch(/https?:|src=|href=|@import|url\(|<script/);
  expect(page).toContain('A &lt;small&gt; day');
  expect(page).not.toContain('<small>');
  expect(page).not.toContain('NaN');
  expect(page).not.toContain('undefined');
});

test('it states at the top whether anything was lost or late, and details it below', () => {
  expect(makePage(report)).toContain('<span class="good">No orders or webhooks were lost.</span>');
  expect(makePage(report)).toContain('<span class="good">Waybill caused no delays.</span>');
  const lost = { ...report, isLost: true, checks: [{ name: 'every event got a 2xx', found: ['version 3 of A'] }] };
  expect(makePage(lost)).toContain('<span class="bad">Orders or webhooks were lost.</span>');
  expect(makePage(lost)).toContain('version 3 of A');
  const late = { ...report, lateness: { ...report.lateness, isLate: true, failures: ['plan.failed: no room'] } };
  expect(makePage(late)).toContain('<span class="bad">Waybill caused delays.</span>');
  expect(makePage(late)).toContain('plan.failed: no room');
});
