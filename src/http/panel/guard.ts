// Checks every panel request: same site, signed in, role, then parameters and body; then its handler runs.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Client } from '../../accounts/accounts.ts';
import { describeRefusal, refuse, refused, type Refusal } from '../../domain/refusals.ts';
import type { SignedInUser } from '../../store/people/sessions.ts';
import { answerFailure, sendAnswer, type GoodAnswer } from '../protocol/answer.ts';
import { createDeadline, type Deadline } from '../protocol/deadline.ts';
import { checkMediaType, readJsonBody } from '../protocol/read-body.ts';
import type { Nothing, PanelAnswer, PanelDeps, PanelRoute, PanelSession } from './route.ts';
import { PAGE_SENTENCES } from './page-sentences.ts';
import { API_HEADERS } from './security-headers.ts';
import type { UserTurns } from './user-concurrency.ts';

export interface PanelRequestShape {
  Params: Record<string, string>;
  Querystring: Record<string, string | string[]>;
}
type PanelRequest = FastifyRequest<PanelRequestShape>;

export async function servePanel(
  deps: PanelDeps,
  route: PanelRoute,
  exchange: { request: PanelRequest; reply: FastifyReply },
): Promise<void> {
  const { request, reply } = exchange;
  reply.headers(API_HEADERS);
  const deadline = createDeadline(deps.clock, deps.requestDeadlineMs);
  const disconnected = new AbortController();
  reply.raw.once('close', () => disconnected.abort());
  const work = admitAndRun(deps, route, { request, deadline, disconnected: disconnected.signal });
  try {
    const { answer, cookies } = await deadline.limit(work);
    if (cookies.length > 0) reply.header('set-cookie', cookies);
    send(exchange, answer);
  } catch (error) {
    // A stream that opens after the deadline has no reader.
    void work.then(({ answer }) => answer.kind === 'stream' && answer.stream.destroy()).catch(() => undefined);
    send(exchange, answerFailure(error, { requestId: request.id, log: deps.log }));
  }
}

function send({ request, reply }: { request: PanelRequest; reply: FastifyReply }, answer: PanelAnswer): void {
  if (answer.kind === 'stream') reply.headers(answer.headers).send(answer.stream);
  else sendAnswer(request, reply, answer.kind === 'refused' ? refused(sayOnPage(answer.refusal)) : answer);
}

function sayOnPage(refusal: Refusal): Refusal {
  return { ...refusal, message: describeRefusal(refusal, PAGE_SENTENCES) };
}

interface Exchange {
  request: PanelRequest;
  deadline: Deadline;
  disconnected: AbortSignal;
}

interface Outcome {
  answer: PanelAnswer;
  /** The session cookie, if the session was extended. */
  cookies: string[];
}

async function admitAndRun(deps: PanelDeps, route: PanelRoute, exchange: Exchange): Promise<Outcome> {
  const { request, deadline } = exchange;
  const no = (refusal: Refusal): Outcome => ({ answer: refused(refusal), cookies: [] });
  const isChange = route.method !== 'GET';
  if (isChange && !isSameSite(request, deps.publicUrl)) return no(refuse('AUTH_024'));
  const client = clientOf(request, deadline);
  const user = await deps.accounts.findSignedInUser(client.cookieHeader);
  const session = user === undefined ? null : toPanelSession(user, client.address);
  if (route.roles !== 'anyone') {
    if (session === null) return no(refuse('AUTH_020'));
    if (!route.roles.includes(session.role)) return no(refuse('AUTH_023'));
  }
  request.context.restaurantId = session?.restaurantId ?? undefined;
  const run = (): Promise<Outcome> => runRoute(deps, route, { request, deadline, client, user, session });
  return session === null ? run() : takeTurn(exchange, { turns: deps.turns, userId: session.userId }, run);
}

/** Runs when the user has a free slot; a stream is counted until it ends. */
async function takeTurn(
  { deadline, disconnected }: Exchange,
  { turns, userId }: { turns: UserTurns; userId: string },
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  if (!(await deadline.pauseFor(turns.enter(userId, disconnected)))) return TOO_MANY;
  try {
    const outcome = await run();
    if (outcome.answer.kind !== 'stream') return outcome;
    const { stream } = outcome.answer;
    if (turns.openStream(userId)) {
      stream.once('close', () => turns.closeStream(userId));
      return outcome;
    }
    stream.destroy();
    return TOO_MANY;
  } finally {
    turns.leave(userId);
  }
}

const TOO_MANY: Outcome = { answer: refused(refuse('RATE_002')), cookies: [] };

interface AdmittedRequest {
  request: PanelRequest;
  deadline: Deadline;
  client: Client;
  user: SignedInUser | undefined;
  session: PanelSession | null;
}

async function runRoute(
  deps: PanelDeps,
  route: PanelRoute,
  { request, deadline, client, user, session }: AdmittedRequest,
): Promise<Outcome> {
  // Without a CORS preflight, a form on another site can send everything except this media type.
  const wrongType = route.method === 'GET' ? undefined : checkMediaType(request.context.head);
  if (wrongType !== undefined) return { answer: refused(wrongType), cookies: [] };
  const answer = await route.run(deps, {
    session,
    client,
    context: request.context,
    params: request.params,
    query: request.query,
    readBody: () => deadline.pauseFor(readJsonBody(request.raw, request.context.head)),
  });
  // A change may have found that it was already made.
  if (route.method !== 'GET' && answer.kind === 'ok') await deps.confirmReplicated();
  const setsCookies = answer.kind === 'ok' && answer.headers?.['set-cookie'] !== undefined;
  const cookies = user === undefined || setsCookies ? [] : await deps.accounts.renew(user, client);
  return { answer, cookies };
}

/** Browsers report where a request comes from. A request that doesn't is not from our pages. */
function isSameSite(request: PanelRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = request.headers;
  const from = origin === undefined ? null : URL.parse(origin);
  if (from === null) return false;
  return from.host === host || from.origin === URL.parse(publicUrl)?.origin;
}

function clientOf(request: PanelRequest, deadline: Deadline): Client {
  return {
    cookieHeader: request.headers.cookie,
    address: request.context.client,
    userAgent: request.headers['user-agent'],
    lastEventId: toText(request.headers['last-event-id']),
    pauseFor: (work) => deadline.pauseFor(work),
  };
}

function toText(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function toPanelSession(user: SignedInUser, address: string): PanelSession {
  const { sessionId, userId, email, name, courierId, hasTwoFactor, restaurant } = user;
  const shared = { sessionId, userId, email, name, courierId, hasTwoFactor, restaurant };
  // Only operators act as a restaurant; for any other role the column is ignored.
  if (user.role === 'operator' && user.actingAs !== null) {
    const actor = { name: `${email} (operator) as restaurant`, address };
    return { ...shared, role: 'owner', restaurantId: user.actingAs, actor, impersonatedBy: email };
  }
  return {
    ...shared,
    role: user.role,
    restaurantId: user.restaurantId,
    actor: { name: email, address },
    impersonatedBy: null,
  };
}

/** For a successful change with nothing to return. */
export function done(cookies: readonly string[] = []): GoodAnswer<Nothing> {
  return {
    kind: 'ok',
    status: 200,
    body: '{}',
    ...(cookies.length > 0 && { headers: { 'set-cookie': [...cookies] } }),
  };
}
