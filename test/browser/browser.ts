// A real Chromium for the page tests: one browser per test file, a fresh profile per page.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import type { Role } from '../../src/domain/people/roles.ts';
import { collectProblems, launchChromium, SCREENS, signInto, type Screen } from '../../harness/browser/chromium.ts';
import { addLogin, type Login } from '../../harness/service/panel-client.ts';
import {
  startService,
  type ServiceOptions,
  type TestRestaurant,
  type TestService,
} from '../../harness/service/service.ts';

/** Timeout of each step. Tests of live updates set their own, shorter limits. */
const STEP_TIMEOUT_MS = 20_000;
const FAILURES = path.join(import.meta.dirname, '..', 'e2e', 'failures');

export interface VisitOptions {
  screen?: Screen;
  theme?: 'light' | 'dark';
}

export interface BrowserPages {
  /** Opens a page of the service without signing in. */
  visit(address: string, options?: VisitOptions): Promise<Page>;
  /** Opens a page of the service, signed in with this role. */
  visitAs(service: TestService, visit: SignedInVisit): Promise<Page>;
  /** Opens a page, signed in with an existing account. */
  visitWith(login: Login, address: string, options?: VisitOptions): Promise<Page>;
}

export interface SignedInVisit extends VisitOptions {
  role: Role;
  restaurant?: TestRestaurant;
  courier?: string;
  at?: string;
}

/** A service with an operator: without one, every page redirects to the initial setup. */
export async function startPanelService(options: ServiceOptions = {}): Promise<TestService> {
  const service = await startService(options);
  await addLogin(service, 'operator');
  return service;
}

/** Call once at the top of a test file. Fails a test if any of its pages reported an error. */
export function useChromium(): BrowserPages {
  let browser: Browser;
  const open: { context: BrowserContext; page: Page; problems: string[] }[] = [];

  beforeAll(async () => {
    browser = await launchChromium(inject('browserProgram'));
  });

  afterEach(async ({ task }) => {
    const visits = open.splice(0);
    if (task.result?.state === 'fail') for (const { page } of visits) await keepEvidence(page, task.name);
    await Promise.all(visits.map(({ context }) => context.close()));
    expect(visits.flatMap(({ problems }) => problems)).toEqual([]);
  });

  afterAll(() => browser.close());

  async function visit(address: string, options: VisitOptions = {}): Promise<Page> {
    const { screen = 'desktop', theme = 'light' } = options;
    const context = await browser.newContext({
      viewport: SCREENS[screen],
      hasTouch: screen === 'phone',
      colorScheme: theme,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    const page = await context.newPage();
    open.push({ context, page, problems: collectProblems(page) });
    await page.goto(address);
    return page;
  }

  async function visitWith(login: Login, address: string, options: VisitOptions = {}): Promise<Page> {
    const page = await visit('about:blank', options);
    await signInto(page, login, address);
    await page.goto(address);
    return page;
  }

  return {
    visit,
    visitWith,
    async visitAs(service, { role, restaurant, courier, at = '/', ...options }) {
      const belongs = { ...(restaurant && { restaurant }), ...(courier !== undefined && { courier }) };
      return visitWith(await addLogin(service, role, belongs), service.address + at, options);
    },
  };
}

/** Saves what the page looked like, as a screenshot and as text. */
async function keepEvidence(page: Page, testName: string): Promise<void> {
  const file = path.join(FAILURES, testName.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 100));
  await mkdir(FAILURES, { recursive: true });
  await page.screenshot({ path: `${file}.png` }).catch(() => undefined);
  const words = await page
    .locator('body')
    .ariaSnapshot({ timeout: 1_000 })
    .catch((error: Error) => error.message);
  await writeFile(`${file}.yaml`, `# ${page.url()}\n${words}\n`);
}

/** The parts of an element used here; the tests are compiled without the browser's types. */
interface ShownElement {
  getAttribute(name: string): string | null;
  ownerDocument: { getElementById(id: string): { textContent: string | null } | null };
}

/** The reason that a disabled button gives; empty if the button is enabled. */
export function reasonOf(page: Page, name: string | RegExp): Promise<string> {
  // In a single evaluation, because the reason disappears as soon as the button is enabled.
  return page
    .getByRole('button', { name })
    .first()
    .evaluate((button: ShownElement) => {
      const sentence = button.ownerDocument.getElementById(button.getAttribute('aria-describedby') ?? '');
      return button.getAttribute('aria-disabled') === 'true' ? (sentence?.textContent ?? '') : '';
    });
}

/**
 * Opens a dialog and checks that screen readers can find it: it has a name and takes the focus, and Escape returns the
 * focus to what opened it.
 */
export async function openDialog(opener: Locator, name: string): Promise<Locator> {
  const page = opener.page();
  const dialog = page.getByRole('dialog', { name });
  await opener.click();
  await dialog.locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await opener.and(page.locator(':focus')).waitFor();
  await opener.click();
  await dialog.waitFor();
  return dialog;
}

/** When run in a page, records the pitch of every note that is played. */
export const RECORD_TONES = `
  globalThis.tones = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (when) {
    globalThis.tones.push(this.frequency.value);
    start.call(this, when);
  };
`;

/** For `addInitScript`: records the events that the live stream sends to the page. */
export const RECORD_NEWS = `
  globalThis.news = [];
  globalThis.EventSource = class extends EventSource {
    constructor(url) {
      super(url);
      for (const name of ['hello', 'orders']) this.addEventListener(name, () => globalThis.news.push(name));
    }
  };
`;

export async function hearNews(page: Page, news: 'hello' | 'orders'): Promise<void> {
  await expect.poll(() => page.evaluate<string[]>('globalThis.news')).toContain(news);
}

export function readClipboard(page: Page): Promise<string> {
  return page.evaluate<string>('navigator.clipboard.readText()');
}
