import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setUpCode } from '../../src/actions/people/set-up-operator.ts';
import { startPanelService, useChromium } from '../browser/browser.ts';
import { SCREENS, type Screen } from '../../harness/browser/chromium.ts';
import { startMailServer, type MailServer } from '../servers/mail-server.ts';
import { addLogin, signInAs, totpCode, type Login } from '../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../harness/service/service.ts';

const NEW_PASSWORD = 'four plain words here';

let service: TestService;
let mail: MailServer;
let restaurant: TestRestaurant;
const { visit, visitAs } = useChromium();

beforeAll(async () => {
  mail = await startMailServer();
  service = await startPanelService({ config: { smtpUrl: mail.url, publicUrl: 'https://panel.example' } });
  restaurant = await service.addRestaurant({ name: 'Trattoria Fontana' });
});
afterAll(async () => {
  await service.stop();
  await mail.close();
});

async function signIn(page: Page, { email, password }: Pick<Login, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The target of the link in the latest mail to this address, on this service. */
async function linkTo(email: string): Promise<string> {
  const latest = () => mail.mails.findLast(({ to }) => to.includes(email));
  await expect.poll(latest, { timeout: 20_000 }).toBeDefined();
  const text = (latest()?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const link = /https:\/\/panel\.example(\/\S+)/.exec(text)?.[1] ?? '/no-link';
  return service.address + link;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

describe.for(Object.keys(SCREENS) as Screen[])('on a %s', (screen) => {
  test('a wrong password shows an error, and the right one opens the requested page', async () => {
    const login = await addLogin(service, 'owner', { restaurant });
    const page = await visit(`${service.address}/team`, { screen });
    await signIn(page, { ...login, password: 'not the right one' });
    await page.getByText('Wrong email or password').waitFor();
    await signIn(page, login);
    await heading(page, 'Team').waitFor();
    expect(new URL(page.url()).pathname).toBe('/team');
  });

  test('signing out ends the session in every tab', async () => {
    const page = await visitAs(service, { role: 'staff', restaurant, at: '/orders', screen });
    await heading(page, 'Orders').waitFor();
    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    await page.goto(`${service.address}/team`);
    await heading(page, 'Sign in').waitFor();
  });

  test('a forgotten password is reset through the link in the mail', async () => {
    const login = await addLogin(service, 'owner', { restaurant });
    const page = await visit(`${service.address}/sign-in`, { screen });
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    // Waits for the new page, because the previous page also has such a field.
    await heading(page, 'Reset your password').waitFor();
    await page.getByLabel('Email').fill(login.email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('status').getByText(login.email).waitFor();
    await page.goto(await linkTo(login.email));
    await heading(page, 'Set a new password').waitFor();
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await heading(page, 'Sign in').waitFor();
    await signIn(page, { ...login, password: NEW_PASSWORD });
    await heading(page, 'Orders').waitFor();
  });

  test('an invited user chooses a password and joins', async () => {
    const page = await visitAs(service, { role: 'owner', restaurant, at: '/team', screen });
    const email = `new-${screen}@example.com`;
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite member' });
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByLabel('Name').fill('Mira');
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText(`Invitation sent to ${email}`).waitFor();
    const guest = await visit(await linkTo(email), { screen });
    await guest.getByText("You've been invited to Trattoria Fontana").waitFor();
    await guest.getByLabel('New password').fill(NEW_PASSWORD);
    await guest.getByRole('button', { name: 'Join' }).click();
    await heading(guest, 'Sign in').waitFor();
    await signIn(guest, { email, password: NEW_PASSWORD });
    await heading(guest, 'Orders').waitFor();
  });
});

test('with a second factor, the password alone does not sign in', async () => {
  const browser = await signInAs(service, 'owner', { restaurant });
  const { password } = browser.login;
  const page = await visit(`${service.address}/sign-in?from=/account`);
  await signIn(page, browser.login);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('dialog').getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  const scan = page.getByRole('dialog', { name: 'Scan this code' });
  await scan.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  const secret = (await scan.locator('code').first().textContent()) ?? '';
  await scan.getByRole('textbox', { name: 'Code' }).fill(totpCode(secret.replaceAll(' ', '')));
  await scan.getByRole('button', { name: 'Confirm' }).click();
  const codes = page.getByRole('dialog', { name: 'Backup codes' });
  const backupCode = (await codes.locator('code').first().textContent()) ?? '';
  await codes.getByLabel('I saved it in a safe place').check();
  await codes.getByRole('button', { name: 'Done' }).click();

  const other = await visit(`${service.address}/sign-in`);
  await signIn(other, browser.login);
  await heading(other, 'Two-factor authentication').waitFor();
  await other.getByLabel('Code').fill('000000');
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.getByRole('alert').waitFor();
  await other.getByLabel('Code').fill(backupCode.split(/\s/)[0] ?? '');
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await heading(other, 'Orders').waitFor();
});

test('signing out everywhere also ends the sessions of other browsers', async () => {
  const login = await addLogin(service, 'owner', { restaurant });
  const [here, there] = [
    await visit(`${service.address}/sign-in?from=/account`),
    await visit(`${service.address}/sign-in?from=/team`),
  ];
  await signIn(here, login);
  await signIn(there, login);
  await heading(there, 'Team').waitFor();
  await here.getByRole('button', { name: 'Sign out everywhere' }).click();
  await here.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await heading(here, 'Sign in').waitFor();
  await there.reload();
  await heading(there, 'Sign in').waitFor();
});

test('a used link is refused and offers a way to get a new one', async () => {
  const page = await visit(`${service.address}/new-password#0000000000000000000000000000000000000000000`);
  await page.getByRole('alert').waitFor();
  await page.getByRole('link', { name: 'Request new link' }).click();
  await heading(page, 'Reset your password').waitFor();
});

test('a fresh installation is set up in the browser with the printed code', async () => {
  const fresh = await startService();
  try {
    const page = await visit(fresh.address);
    await heading(page, 'Set up Waybill').waitFor();
    await page.getByLabel('Setup code').fill('00000-00000-00000-00000');
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Setup code').fill(setUpCode(fresh.app.vault));
    await page.getByRole('button', { name: 'Create account' }).click();
    await heading(page, 'Sign in').waitFor();
    await signIn(page, { email: 'ada@example.com', password: NEW_PASSWORD });
    await page.getByRole('button', { name: 'Account menu' }).waitFor();
    await page.goto('about:blank');
  } finally {
    await fresh.stop();
  }
});
