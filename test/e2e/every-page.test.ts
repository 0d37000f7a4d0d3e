// Every route of the panel in both themes and widths: no accessibility violation, no console error, nothing blocked by
// the security policy, nothing wider than the screen.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Trouble } from '../../src/domain/upkeep/set-aside.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { createPlatform } from '../../src/platform.ts';
import { insertEpoch } from '../../src/store/upkeep/epochs.ts';
import { saveTroubles } from '../../src/store/upkeep/set-aside.ts';
import { startPanelService, useChromium } from '../browser/browser.ts';
import { SCREENS } from '../../harness/browser/chromium.ts';
import { startReceiver, type Receiver } from '../../harness/receivers/receiver.ts';
import { startService, type TestService } from '../../harness/service/service.ts';
import { createShiftedClock } from '../showcase/story.ts';
import { fillShowcase, type Showcase } from '../showcase/showcase.ts';

const ROUTES = readRoutes();
const FILL_TIMEOUT_MS = 120_000;
/** The accessibility rules, injected once per page: by default, the builder injects them twice for each check. */
const AXE = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

interface Visit {
  /** The address, with the route's parameters filled in. */
  at?: (showcase: Showcase) => string;
  as?: keyof Showcase['logins'];
  /** The heading that appears when the page has its data. */
  heading: string | RegExp;
  /** Texts that are not always on the page but must be checked too. */
  shows?: string[];
}

const VISITS: Record<string, Visit> = {
  '/sign-in': { heading: 'Sign in' },
  '/forgot-password': { heading: 'Reset your password' },
  '/invitation': { heading: 'Welcome to Waybill' },
  '/new-password': { heading: 'Set a new password' },
  '/set-up': { heading: 'Set up Waybill' },
  '/': { as: 'owner', heading: 'Orders' },
  '/orders': { as: 'staff', heading: 'Orders' },
  '/orders/$orderId': { as: 'staff', at: ({ orders }) => `/orders/${orders.withoutLocation}`, heading: /^#/ },
  '/map': { as: 'staff', heading: 'Map' },
  '/team': { as: 'owner', heading: 'Team' },
  '/settings': { as: 'owner', heading: 'Integration' },
  '/settings/integration': { as: 'owner', heading: 'Integration' },
  '/settings/restaurant': { as: 'owner', heading: 'Restaurant' },
  '/webhooks': { as: 'atelierOwner', heading: 'Webhooks' },
  '/account': { as: 'owner', heading: 'Account' },
  '/courier': { as: 'courier', heading: /./ },
  '/operator': { as: 'operator', heading: 'Overview' },
  '/operator/overview': {
    as: 'operator',
    heading: 'Overview',
    shows: ['This database was recovered to an earlier point in time', 'The planner skips this order'],
  },
  '/operator/planning': { as: 'operator', heading: 'Planning' },
  '/operator/orders/$orderId': {
    as: 'operator',
    at: ({ orders }) => `/operator/orders/${orders.withoutLocation}`,
    heading: /^#/,
  },
  '/operator/map': { as: 'operator', heading: 'Map' },
  '/operator/restaurants': { as: 'operator', heading: 'Restaurants' },
  '/operator/support': { as: 'operator', heading: 'Support cases' },
  '/operator/support/$caseId': {
    as: 'operator',
    at: ({ supportCaseId }) => `/operator/support/${supportCaseId}`,
    heading: /^Burger Atelier/,
  },
  '/operator/couriers': { as: 'operator', heading: 'Couriers' },
  '/operator/couriers/$courierId': {
    as: 'operator',
    at: ({ couriers }) => `/operator/couriers/${couriers[0]}`,
    heading: 'Ada Yılmaz',
  },
  '/operator/users': { as: 'operator', heading: 'Users' },
  '/operator/audit': { as: 'operator', heading: 'Audit log' },
  '/operator/settings': { as: 'operator', heading: 'Settings' },
};

let service: TestService;
let receivers: Receiver[];
let showcase: Showcase;
const { visit, visitWith } = useChromium();

beforeAll(async () => {
  const clock = createShiftedClock(26 * 60);
  service = await startPanelService({ roles: ['api', 'deliver'], platform: createPlatform(undefined, clock) });
  const receiver = await startReceiver();
  const failing = await startReceiver({ onRequest: () => ({ status: 503, body: 'Service unavailable' }) });
  receivers = [receiver, failing];
  showcase = await fillShowcase(
    { app: service.app, address: service.address, clock, receiver, failing },
    { pastOrders: 2 },
  );
  await addTroubles();
}, FILL_TIMEOUT_MS);
afterAll(async () => {
  await service.stop();
  for (const receiver of receivers) await receiver.close();
});

/** Adds a restore and entries that stay set aside for the duration of the test. */
async function addTroubles(): Promise<void> {
  const { db, clock, newId } = service.app;
  const now = clock.now();
  const { atelier, couriers, orders } = showcase;
  const reason = 'insert or update on table "events" violates check constraint "events_version_positive"';
  const troubles: Trouble[] = [
    { kind: 'order', id: orders.withoutLocation, reason },
    { kind: 'courier', id: couriers[1] ?? '', reason },
    { kind: 'restaurant', id: atelier.id, reason },
    { kind: 'order', id: newId(), reason },
  ];
  await saveTroubles(db, { work: 'planning', troubles, now: now + HOUR_MS });
  await db.transaction((tx) =>
    insertEpoch(tx, { id: newId(), cause: 'recovered', startedAt: now, dataUntil: now - HOUR_MS }),
  );
}

test('every route is visited', () => {
  expect(ROUTES.length).toBeGreaterThan(10);
  expect(Object.keys(VISITS).toSorted()).toEqual(ROUTES.toSorted());
});

// Two at a time: the rules keep one processor busy, and there are two processors.
test.for(inPairs(Object.entries(VISITS)))('$routes', async ({ pair }) => {
  await Promise.all(pair.map(([route, visited]) => lookThrough(route, visited)));
});

function inPairs(visits: readonly [string, Visit][]): { routes: string; pair: [string, Visit][] }[] {
  return visits.flatMap((_, index) => {
    const pair = visits.slice(index, index + 2);
    return index % 2 === 0 ? [{ routes: pair.map(([route]) => route).join(' and '), pair }] : [];
  });
}

async function lookThrough(route: string, { at, as, heading, shows = [] }: Visit): Promise<void> {
  const address = service.address + (at?.(showcase) ?? route);
  const page = as === undefined ? await visit(address) : await visitWith(showcase.logins[as], address);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
  for (const text of shows) await page.getByText(text).first().waitFor();
  for (const [screen, size] of Object.entries(SCREENS)) {
    await page.setViewportSize(size);
    await showTheme(page, 'light');
    // Polled, because elements still have temporary colors while they are being drawn.
    await expect.poll(() => findViolations(page), { message: `${route}, light, on a ${screen}` }).toEqual([]);
    // Another theme shows the same elements in different colors.
    await showTheme(page, 'dark');
    await expect
      .poll(() => findViolations(page, ['color-contrast']), { message: `${route}, dark, on a ${screen}` })
      .toEqual([]);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect({ route, isTooWide: width > size.width }).toEqual({ route, isTooWide: false });
  }
}

async function showTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.locator(`html[data-theme=${theme}]`).waitFor();
  // With reduced motion, a color change takes effect after one or two frames.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}

async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  // Otherwise axe opens an extra page each time to check frames, and there are none. Only violations are needed.
  const axe = new AxeBuilder({ page, axeSource: 'void axe' }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help}: ${target.join(' ')}`));
}

/** Reads the routes from routes.tsx, each prefixed with the paths of its parents. */
function readRoutes(): string[] {
  const text = readFileSync(path.join(import.meta.dirname, '../../panel/src/routes.tsx'), 'utf8');
  const declared = text.matchAll(
    /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(path|id): '([^']+)'/g,
  );
  const known = new Map(
    [...declared].map(([, name = '', parent = '', kind, own = '']) => [name, { parent, kind, own }]),
  );
  expect(known.size).toBe(text.match(/createRoute\(/g)?.length);
  const pathOf = (name: string): string => {
    const route = known.get(name);
    if (route === undefined) return '';
    return pathOf(route.parent) + (route.kind === 'path' ? route.own : '');
  };
  return [...known].filter(([, { kind }]) => kind === 'path').map(([name]) => pathOf(name));
}

test('menus, shortcuts, dialogs and the 404 page are accessible and return the focus', async () => {
  const page = await visitWith(showcase.logins.operator, `${service.address}/operator/restaurants`);
  const focused = () =>
    page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText');
  for (const size of Object.values(SCREENS)) {
    await page.setViewportSize(size);
    const account = page.getByRole('button', { name: 'Account menu' }).filter({ visible: true });
    await account.press('Enter');
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(focused).toContain('Account menu');
  }
  await page.getByRole('button', { name: 'Add restaurant' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(focused).toBe('Add restaurant');
  await page.goto(`${service.address}/no/such/page`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
});

test('the first setup is accessible', async () => {
  const fresh = await startService();
  try {
    const page = await visit(fresh.address);
    await page.getByLabel('Setup code').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.goto('about:blank');
  } finally {
    await fresh.stop();
  }
});
