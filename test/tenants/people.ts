// One caller per role and credential type of a tenant.
import { openBrowser, signInAs, type Browser } from '../../harness/service/panel-client.ts';
import type { TestService } from '../../harness/service/service.ts';
import type { Tenant } from './tenant.ts';

export const PEOPLE = [
  'anonymous',
  'owner',
  'staff',
  'own courier',
  'pool courier',
  'operator',
  'acting operator',
  'API key',
  'Basic credential',
] as const;
export type PersonName = (typeof PEOPLE)[number];

export interface Person {
  name: PersonName;
  /** The role's name in the route table. */
  role: string;
  headers: Record<string, string>;
  courierId?: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export async function becomePerson(service: TestService, tenant: Tenant, name: PersonName): Promise<Person> {
  const { restaurant, basic } = tenant;
  const withCookie = (role: string, browser: Browser, courierId?: string): Person => ({
    name,
    role,
    headers: { cookie: browser.cookieHeader() },
    ...(courierId !== undefined && { courierId }),
  });
  switch (name) {
    case 'anonymous':
      return withCookie('nobody', openBrowser(service.address));
    case 'owner':
    case 'staff':
      return withCookie(name, await signInAs(service, name, { restaurant }));
    case 'own courier':
      return withCookie('courier', await signInAs(service, 'courier', { courier: tenant.courierId }), tenant.courierId);
    case 'pool courier': {
      const courierId = await service.addCourier('Pool');
      return withCookie('courier', await signInAs(service, 'courier', { courier: courierId }), courierId);
    }
    case 'operator':
      return withCookie('operator', await signInAs(service, 'operator'));
    case 'acting operator': {
      const browser = await signInAs(service, 'operator');
      const begun = await browser.send('POST', '/api/operator/impersonation', { restaurantId: restaurant.id });
      if (begun.status !== 200) throw new Error(`not acting: ${JSON.stringify(begun.body)}`);
      return withCookie('owner', browser);
    }
    case 'API key':
      return { name, role: 'integrator', headers: { 'x-api-key': restaurant.apiKey } };
    case 'Basic credential': {
      const pair = Buffer.from(`${basic.username}:${basic.password}`).toString('base64');
      return { name, role: 'integrator', headers: { authorization: `Basic ${pair}` } };
    }
  }
}

export interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

/** All requests share one request id, so that whole answers can be compared. */
export async function send(address: string, person: Person, request: Request): Promise<Answer> {
  const { method, path, body } = request;
  const isChange = method !== 'GET';
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: {
      'x-request-id': 'matrix',
      'sec-fetch-site': 'same-origin',
      ...(isChange && { 'content-type': 'application/json' }),
      ...person.headers,
      ...request.headers,
    },
    ...(isChange && { body: JSON.stringify(body ?? {}) }),
  });
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? await readFirstMessage(answer) : await answer.text();
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text };
}

/** Live streams do not end; the first message contains the cursor. */
async function readFirstMessage(answer: Response): Promise<string> {
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (/^(id|event): .*\n\n/ms.test(text)) break;
  }
  return text;
}
