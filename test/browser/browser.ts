// A real Chromium for the tests of the pages: one for each file, a fresh profile for each visitor.
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

/** Patience of each single step; what is seen live has its own, tighter limits in the tests. */
const STEP_TIMEOUT_MS = 20_000;
const FAILURES = path.join(import.meta.dirname, '..', 'e2e', 'failures');

export interface VisitOptions {
  screen?: Screen;
  theme?: 'light' | 'dark';
}

export interface Visitors {
  /** Somebody who has not signed in, at a page of the service. */
  visit(address: string, options?: VisitOptions): Promise<Page>;
  /** Somebody with this role who has signed in, at a page of the service. */
  visitAs(service: TestService, visit: SignedInVisit): Promise<Page>;
  /** The same with an account that exists. */
  visitWith(login: Login, address: string, options?: VisitOptions): Promise<Page>;
}

export interface SignedInVisit extends VisitOptions {
  role: Role;
  restaurant?: TestRestaurant;
  courier?: string;
  at?: string;
}

/** A service with an operator: without one, every page leads to the first set-up. */
export async function startPanelService(options: ServiceOptions = {}): Promise<TestService> {
  const service = await startService(options);
  await addLogin(service, 'operator');
  return service;
}

/** To be called once at the top of a file. After each test, no page may have reported an error of its own. */
export function useChromium(): Visitors {
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

/** What the page looked like, for the eye and in words. */
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

/** What of an element is used; the tests are compiled without the browser's types. */
interface ShownElement {
  getAttribute(name: string): string | null;
  ownerDocument: { getElementById(id: string): { textContent: string | null } | null };
}

/** The sentence that a disabled button says of itself; empty when it can be pressed. */
export function reasonOf(page: Page, name: string | RegExp): Promise<string> {
  // In one look: the sentence goes the moment the button can be pressed.
  return page
    .getByRole('button', { name })
    .first()
    .evaluate((button: ShownElement) => {
      const sentence = button.ownerDocument.getElementById(button.getAttribute('aria-describedby') ?? '');
      return button.getAttribute('aria-disabled') === 'true' ? (sentence?.textContent ?? '') : '';
    });
}

/**
 * Opens a dialog as somebody who cannot see it has to find it: it has a name and takes the focus, and Escape gives the
 * focus back to what opened it.
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

/** Run in a page, it remembers the pitch of every note that is played. */
export const RECORD_TONES = `
  globalThis.tones = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (when) {
    globalThis.tones.push(this.frequency.value);
    start.call(this, when);
  };
`;

/** For `addInitScript`: remembers what the live stream has told the page. */
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
