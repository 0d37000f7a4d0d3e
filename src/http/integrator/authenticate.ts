// Authenticates callers: contract section 5. Reveals as little as possible when authentication fails.
import { isUtf8 } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { refuse, type Refusal } from '../../domain/refusals.ts';
import type { Clock } from '../../platform.ts';
import type { Credential } from '../../store/restaurants/credentials.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { CredentialCache } from './credential-cache.ts';
import type { GuessBudget } from './guess-budget.ts';
import type { RequestHead } from '../protocol/request-head.ts';
import type { RequestContext } from '../protocol/request-context.ts';

export type Authentication = { ok: true; credential: Credential } | { ok: false; refusal: Refusal };

export interface AuthenticateDeps {
  clock: Clock;
  environment: 'live' | 'test';
  vault: Pick<Vault, 'credentialHash'>;
  credentials: CredentialCache;
  guesses: GuessBudget;
}

/** The contents of a credential header, hashed. */
type Presented = { kind: 'api_key'; keyHash: string } | { kind: 'basic'; username: string; passwordHash: Buffer };

export async function authenticate(
  deps: AuthenticateDeps,
  context: Pick<RequestContext, 'head' | 'client'>,
  socket: Socket,
): Promise<Authentication> {
  const { head } = context;
  if (head.apiKeyCount + head.authorizationCount > 1) return no(refuse('AUTH_004'));
  if (head.apiKey === undefined && head.authorization === undefined) return no(refuse('AUTH_003'));
  const presented = readPresented(deps, head, socket);
  const credential = presented && (await findPresented(deps, presented));
  if (credential === undefined) return wrong(deps, context);
  if (credential.expiresAt !== null && credential.expiresAt <= deps.clock.now()) return no(refuse('AUTH_011'));
  const isElsewhere = credential.environment !== null && credential.environment !== deps.environment;
  if (isElsewhere) return wrong(deps, context);
  if (!credential.restaurant.integrationEnabled) return no(refuse('AUTH_010'));
  return { ok: true, credential };
}

function no(refusal: Refusal): Authentication {
  return { ok: false, refusal };
}

function wrong(deps: AuthenticateDeps, { head, client }: Pick<RequestContext, 'head' | 'client'>): Authentication {
  if (deps.guesses.spend(client)) return no(refuse('RATE_001'));
  return no(refuse(head.apiKey === undefined ? 'AUTH_002' : 'AUTH_001'));
}

// Requests on one connection nearly always send the same header, and hashing costs more than the rest of the check.
// Cached per connection, so the comparison reveals to a caller only what it sent before.
const lastBySocket = new WeakMap<Socket, { header: string; presented: Presented | undefined }>();

function readPresented(deps: AuthenticateDeps, head: RequestHead, socket: Socket): Presented | undefined {
  const { apiKey, authorization = '' } = head;
  const header = apiKey ?? authorization;
  const kind = apiKey === undefined ? 'basic' : 'api_key';
  const last = lastBySocket.get(socket);
  if (last?.header === header && last.presented?.kind === kind) return last.presented;
  const presented = kind === 'api_key' ? hashKey(deps, header) : hashBasic(deps, header);
  lastBySocket.set(socket, { header, presented });
  return presented;
}

async function findPresented(deps: AuthenticateDeps, presented: Presented): Promise<Credential | undefined> {
  const credential = await deps.credentials.find(presented);
  if (presented.kind === 'api_key') return credential;
  if (credential === undefined || credential.passwordHash === null) return undefined;
  return timingSafeEqual(presented.passwordHash, credential.passwordHash) ? credential : undefined;
}

const API_KEY = /^wb_(live|test)_[A-Za-z0-9]{20,100}$/;

function hashKey(deps: AuthenticateDeps, apiKey: string): Presented | undefined {
  if (!API_KEY.test(apiKey)) return undefined;
  // Looked up by its keyed hash, so the timing reveals nothing about other keys.
  return { kind: 'api_key', keyHash: deps.vault.credentialHash(apiKey).toString('hex') };
}

function hashBasic(deps: AuthenticateDeps, authorization: string): Presented | undefined {
  const basic = readBasic(authorization);
  return basic && { kind: 'basic', username: basic.username, passwordHash: deps.vault.credentialHash(basic.password) };
}

const MAX_BASIC_CHARACTERS = 1_024;
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;
// oxlint-disable-next-line no-control-regex -- RFC 7617 forbids them, and PostgreSQL cannot hold NUL
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** Split at the first colon: the password may contain colons, the user name may not. */
export function readBasic(authorization: string): { username: string; password: string } | undefined {
  if (authorization.length > MAX_BASIC_CHARACTERS) return undefined;
  const [, encoded] = BASIC.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Buffer skips invalid base64 characters; only valid base64 encodes back to the same text.
  if (bytes.toString('base64') !== encoded || !isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || CONTROL_CHARACTER.test(text)) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
