// Every integrator request passes the credential check, then the rate limit, then its handler. The body isn't read
// before that.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestAdmission } from '../../actions/restaurants/admit-request.ts';
import { findNulCharacters } from '../../contract/validation/query-text.ts';
import type { StrictJson } from '../../contract/validation/strict-json.ts';
import { refuse, refused } from '../../domain/refusals.ts';
import type { Log } from '../../platform.ts';
import type { Credential } from '../../store/restaurants/credentials.ts';
import { answerFailure, sendAnswer, type Answer } from '../protocol/answer.ts';
import { authenticate, type AuthenticateDeps } from './authenticate.ts';
import type { CredentialUses } from './credential-uses.ts';
import { createDeadline, type Deadline } from '../protocol/deadline.ts';
import { readJsonBody } from '../protocol/read-body.ts';
import type { RequestContext } from '../protocol/request-context.ts';

export interface GuardedRoute {
  Params: Record<string, string | undefined>;
  Querystring: Record<string, unknown>;
}
type GuardedRequest = FastifyRequest<GuardedRoute>;

/** An admitted request. */
export interface IntegratorCall {
  raw: IncomingMessage;
  params: Record<string, string | undefined>;
  query: Record<string, unknown>;
  context: RequestContext;
  credential: Credential;
  /** Call it at most once. */
  readBody(): Promise<StrictJson>;
}

export type IntegratorHandler = (call: IntegratorCall) => Promise<Answer>;

export interface GuardDeps extends AuthenticateDeps {
  log: Log;
  admission: RequestAdmission;
  uses: CredentialUses;
  config: { requestDeadlineMs: number };
}

export async function serveIntegrator(
  deps: GuardDeps,
  handler: IntegratorHandler,
  exchange: { request: GuardedRequest; reply: FastifyReply },
): Promise<void> {
  const { request, reply } = exchange;
  const deadline = createDeadline(deps.clock, deps.config.requestDeadlineMs);
  try {
    const work = admitAndHandle(deps, handler, { request, deadline });
    sendAnswer(request, reply, await deadline.limit(work));
  } catch (error) {
    sendAnswer(request, reply, answerFailure(error, { requestId: request.id, log: deps.log }));
  }
}

async function admitAndHandle(
  deps: GuardDeps,
  handler: IntegratorHandler,
  { request, deadline }: { request: GuardedRequest; deadline: Deadline },
): Promise<Answer> {
  const { context, raw } = request;
  const authentication = await authenticate(deps, context, raw.socket);
  if (!authentication.ok) return refused(authentication.refusal);
  const { credential } = authentication;
  context.restaurantId = credential.restaurant.id;
  deps.uses.note(credential);
  if (!(await deps.admission.admit(credential.restaurant))) return refused(refuse('RATE_001'));
  const unstorable = findNulCharacters(request.query);
  if (unstorable.length > 0) return refused(refuse('REQ_004', undefined, unstorable));
  return handler({
    raw,
    params: request.params,
    query: request.query,
    context,
    credential,
    readBody: () => deadline.pauseFor(readJsonBody(raw, context.head)),
  });
}
