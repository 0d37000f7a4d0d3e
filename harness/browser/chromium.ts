// The browser that shows the pages, and ways into them. Without the test runner, because screenshots and benches are
// made with it too.
import { chromium, type Browser, type Page } from 'playwright-core';
import type { BrowserProgram } from './program.ts';
import { openBrowser, type Login } from '../service/panel-client.ts';

export const SCREENS = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1440, height: 900 },
} as const;
export type Screen = keyof typeof SCREENS;

export function launchChromium(program: BrowserProgram): Promise<Browser> {
  return chromium.launch({
    executablePath: program.file,
    env: { ...process.env, ...program.env },
    // Maps draw with WebGL, and a machine for tests has no graphics card. For maps alone: whole pages drawn that way
    // take seven times as long.
    args: ['--enable-unsafe-swiftshader', '--disable-background-networking', '--lang=en-GB'],
  });
}

/** Signs a page's browser in without the page, which is quicker. The question about sounds is answered as well. */
export async function signInto(page: Page, login: Login, address: string): Promise<void> {
  const { origin } = new URL(address);
  const browser = openBrowser(origin);
  const answer = await browser.signIn(login);
  if (answer.status !== 200) throw new Error(`not signed in: ${JSON.stringify(answer.body)}`);
  // Set for https, because such a name is only allowed there; the browser takes 127.0.0.1 for as safe.
  const url = origin.replace('http:', 'https:');
  await page.context().addCookies([...browser.cookies].map(([name, value]) => ({ name, value, url, secure: true })));
  await page.addInitScript("localStorage['waybill.sound'] ??= 'off'");
}

/** What the console says of a request that was answered 4xx, or was made while the test had taken the connection away. */
const NO_PROBLEM = /^Failed to load resource: (the server responded with a status of 4|net::ERR_INTERNET_DISCONNECTED)/;

/** Errors of scripts, and what the page's security policy refused. */
export function collectProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !NO_PROBLEM.test(message.text()))
      problems.push(`${page.url()}: ${message.text()}`);
  });
  return problems;
}
