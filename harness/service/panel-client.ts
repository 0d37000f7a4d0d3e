// Looks like a browser to the panel's API: keeps cookies and sends the headers of a same-origin page.
import { argon2Sync, createHmac, randomBytes } from 'node:crypto';
import { signInApi } from '../../src/contract/panel/people/sign-in.ts';
import { writeUrl, type Given, type Sent } from '../../src/contract/panel/route-url.ts';
import type { Route } from '../../src/contract/panel/routes.ts';
import type { Role } from '../../src/domain/people/roles.ts';
import { generatePassword } from '../../src/secrets/vault.ts';
import { insertUser, savePassword } from '../../src/store/people/users.ts';
import type { TestRestaurant, TestService } from './service.ts';

export interface PanelAnswer {
  status: number;
  // Tests read responses of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  headers: Headers;
}

export interface Browser {
  cookies: Map<string, string>;
  /** Calls a declared route, as the pages do. */
  call<R extends Route>(route: R, ...given: Given<R>): Promise<PanelAnswer>;
  get(path: string): Promise<PanelAnswer>;
  send(method: string, path: string, body?: unknown): Promise<PanelAnswer>;
  /** Adds headers that the panel's pages would never send. */
  sendOddly(
    method: string,
    path: string,
    odd: { body: unknown; headers: Record<string, string> },
  ): Promise<PanelAnswer>;
  signIn(login: { email: string; password: string }): Promise<PanelAnswer>;
  cookieHeader(): string;
}

export interface Login {
  email: string;
  password: string;
  userId: string;
}

export function openBrowser(address: string): Browser {
  const cookies = new Map<string, string>();
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = async (method: string, path: string, init: { body?: string; headers: Record<string, string> }) => {
    const answer = await fetch(`${address}${path}`, {
      method,
      redirect: 'manual',
      ...(init.body !== undefined && { body: init.body }),
      headers: { ...(cookies.size > 0 && { cookie: cookieHeader() }), ...init.headers },
    });
    for (const line of answer.headers.getSetCookie()) keep(cookies, line);
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  };
  const sendOddly: Browser['sendOddly'] = (method, path, { body, headers }) =>
    ask(method, path, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
    });
  const send: Browser['send'] = (method, path, body = {}) => sendOddly(method, path, { body, headers: {} });
  const get: Browser['get'] = (path) => ask('GET', path, { headers: { 'sec-fetch-site': 'same-origin' } });
  const call: Browser['call'] = (route, ...[given]) => {
    const { body }: Sent = given ?? {};
    const url = writeUrl(route, given);
    return route.method === 'GET' ? get(url) : send(route.method, url, body);
  };
  return {
    cookies,
    cookieHeader,
    send,
    sendOddly,
    get,
    call,
    signIn: ({ email, password }) => call(signInApi.signIn, { body: { email, password } }),
  };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ');
  const equals = pair.indexOf('=');
  const name = pair.slice(0, equals);
  if (attributes.includes('Max-Age=0')) cookies.delete(name);
  else cookies.set(name, pair.slice(equals + 1));
}

/** With a hash that takes no time to check: at the cost of real ones, sign-ins would be a large part of the tests. */
export async function addLogin(
  service: Pick<TestService, 'app'>,
  role: Role,
  belongs: { restaurant?: TestRestaurant; courier?: string } = {},
): Promise<Login> {
  const { db, clock, newId } = service.app;
  const [userId, createdAt] = [newId(), clock.now()];
  const email = `${role}-${randomBytes(4).toString('hex')}@example.com`;
  const password = generatePassword(randomBytes);
  await db.transaction(async (tx) => {
    const restaurantId = belongs.restaurant?.id ?? null;
    await insertUser(tx, {
      id: userId,
      email,
      name: '',
      role,
      restaurantId,
      courierId: belongs.courier ?? null,
      createdAt,
    });
    await savePassword(tx, { id: newId(), userId, hash: hashCheaply(password), at: createdAt });
  });
  return { email, password, userId };
}

function hashCheaply(password: string): string {
  const nonce = randomBytes(16);
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const tag = argon2Sync('argon2id', { ...cost, message: password, nonce });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
}

/** Adds a user with this role and signs them in. */
export async function signInAs(
  service: Pick<TestService, 'app' | 'address'>,
  role: Role,
  belongs: { restaurant?: TestRestaurant; courier?: string } = {},
): Promise<Browser & { login: Login }> {
  const login = await addLogin(service, role, belongs);
  const browser = openBrowser(service.address);
  const answer = await browser.signIn(login);
  if (answer.status !== 200) throw new Error(`not signed in: ${JSON.stringify(answer.body)}`);
  return { ...browser, login };
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function readBase32(text: string): Buffer {
  const bits = Array.from(text.replaceAll('=', ''), (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** The code that an authenticator app currently shows for a secret (RFC 6238). */
export function totpCode(secret: string): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', readBase32(secret)).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}
