// Starts the browser and signs pages in. Does not depend on the test runner, because screenshots and benches use it
// too.
import { chromium, type Browser, type Page } from 'playwright-core';
import type { BrowserProgram } from './program.ts';
import { openBrowser, type Login } from '../service/panel-client.ts';

export const SCREENS = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1440, height: 900 },
} as const;
export type Screen = keyof typeof SCREENS;

// By default, each new window also loads two hidden pages with suggestions for the address bar, which takes as much
// processor time as a page of the panel.
const UNUSED_FEATURES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** Those that Playwright disables: Chromium reads only the last list. */
const PLAYWRIGHT_DISABLED = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

export function launchChromium(program: BrowserProgram): Promise<Browser> {
  return chromium.launch({
    executablePath: program.file,
    env: { ...process.env, ...program.env },
    // Maps need WebGL, and test machines have no graphics card. Software rendering is for maps only: rendering whole
    // pages that way takes seven times as long.
    args: [
      '--enable-unsafe-swiftshader',
      '--disable-background-networking',
      '--lang=en-GB',
      `--disable-features=${[...PLAYWRIGHT_DISABLED, ...UNUSED_FEATURES].join(',')}`,
    ],
  });
}

/** Signs in through the API, which is faster than through the page. Also answers the prompt about sounds. */
export async function signInto(page: Page, login: Login, address: string): Promise<void> {
  const { origin } = new URL(address);
  const browser = openBrowser(origin);
  const answer = await browser.signIn(login);
  if (answer.status !== 200) throw new Error(`not signed in: ${JSON.stringify(answer.body)}`);
  // Set for https, which the cookie's name requires; the browser treats 127.0.0.1 as equally secure.
  const url = origin.replace('http:', 'https:');
  await page.context().addCookies([...browser.cookies].map(([name, value]) => ({ name, value, url, secure: true })));
  await page.addInitScript("localStorage['waybill.sound'] ??= 'off'");
}

/** Console messages for a 4xx response, and for a request while the test has the browser offline. */
const NO_PROBLEM = /^Failed to load resource: (the server responded with a status of 4|net::ERR_INTERNET_DISCONNECTED)/;

/** Collects script errors and violations of the page's security policy. */
export function collectProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !NO_PROBLEM.test(message.text()))
      problems.push(`${page.url()}: ${message.text()}`);
  });
  return problems;
}
