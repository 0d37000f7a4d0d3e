// Defines panel routes: who may call them and what they do. What they accept and return is declared in the contract: the
// builders validate parameters, query and body by its schemas, so that a handler only gets what the route declares.
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { AdministrationDeps } from '../../actions/administration.ts';
import type { OrderChanger } from '../../actions/orders/change-order.ts';
import type { HeadersFor } from '../../actions/webhooks/check-receiver.ts';
import type { PeopleDeps } from '../../actions/people/user-access.ts';
import type { Accounts, Client } from '../../accounts/accounts.ts';
import type { SignInLimits } from '../../accounts/sign-in-limits.ts';
import type { CandidateRequest, CandidateResult } from '../../domain/couriers/candidate.ts';
import { fieldPath, readAt, type JsonValue } from '../../domain/canonical-json.ts';
import { RESTAURANT_ROLES, type RestaurantRole, type Role } from '../../domain/people/roles.ts';
import { refuse, refused, type Refusal, type Refused } from '../../domain/refusals.ts';
import { findNulCharacters } from '../../contract/validation/query-text.ts';
import type { BodyOf, ParamsOf, QueryOf, Route } from '../../contract/panel/routes.ts';
import { describeExpectedValue } from '../../contract/validation/problem-text.ts';
import type { StrictJson } from '../../contract/validation/strict-json.ts';
import type { Log } from '../../platform.ts';
import type { ConfirmReplicated } from '../../store/database/replicated.ts';
import type { ClientActor } from '../../store/people/audit-log.ts';
import { type Answer } from '../protocol/answer.ts';
import type { RequestContext } from '../protocol/request-context.ts';
import type { CheckLimit } from './check-limit.ts';
import type { EndpointCheck, EndpointCheckRequest } from './endpoint-inspection.ts';
import type { LiveFeed } from './reads/live-feed.ts';
import type { OperatorReads } from './reads/operator-reads.ts';
import type { UserTurns } from './user-concurrency.ts';
import type { WebhookReads } from './reads/webhook-reads.ts';

/** Dependencies of the handlers. Add new ones here and provide them in app.ts. */
export interface PanelDeps extends AdministrationDeps, PeopleDeps {
  log: Log;
  /** How long a request may wait in the service. */
  requestDeadlineMs: number;
  environment: 'live' | 'test';
  changer: OrderChanger;
  accounts: Accounts;
  limits: SignInLimits;
  turns: UserTurns;
  live: LiveFeed;
  webhooks: WebhookReads;
  operator: OperatorReads;
  /** Inspects an endpoint without sending a request. */
  sender: { inspect(url: string): Promise<EndpointCheck['inspection']> };
  checkLimit: CheckLimit;
  confirmReplicated: ConfirmReplicated;
  checkEndpoint(this: void, request: EndpointCheckRequest): Promise<EndpointCheck>;
  headersFor: HeadersFor;
  /** Couriers to whom an order could be assigned by hand. */
  listCandidates(this: void, request: CandidateRequest): Promise<CandidateResult>;
  /** Without a mail server, links are shown to the user who creates them, to pass on. */
  hasMailServer: boolean;
  /** Null: maps are drawn without streets. */
  mapStyleUrl: string | null;
  /** Replaces the route table, for tests that need a broken one. */
  routes?: readonly PanelRoute[];
}

export interface PanelSession {
  sessionId: string;
  userId: string;
  email: string;
  name: string;
  /** Owner while an operator acts as a restaurant. */
  role: Role;
  restaurantId: string | null;
  restaurant: { name: string; timeZone: string } | null;
  courierId: string | null;
  hasTwoFactor: boolean;
  /** For the audit log, with the address of the client that sent this request. */
  actor: ClientActor;
  /** Email of the operator who acts as this restaurant. */
  impersonatedBy: string | null;
}
export interface RestaurantSession extends PanelSession {
  role: RestaurantRole;
  restaurantId: string;
}

export interface StreamAnswer {
  kind: 'stream';
  stream: Readable;
  headers: Record<string, string>;
}
export type PanelAnswer = Answer | StreamAnswer;

export type Nothing = Record<string, never>;

/** What the handler of a route may return. */
type AnswerTo<R extends Route> = R['answer'] extends z.ZodType
  ? Answer<Extract<z.input<R['answer']>, object>>
  : R['answer'] extends 'nothing'
    ? Answer<Nothing>
    : StreamAnswer | Refused;

interface Call<R extends Route, Session> {
  session: Session;
  params: ParamsOf<R>;
  query: QueryOf<R>;
  body: BodyOf<R>;
  context: RequestContext;
  client: Client;
}

/** As received, not yet validated. */
export interface RawCall {
  params: JsonValue;
  query: Record<string, string | string[]>;
  readBody(): Promise<StrictJson>;
  context: RequestContext;
  client: Client;
  session: PanelSession | null;
}

/** Input that the schema alone can't provide, for the test that requests every route as every kind of user. */
export interface RouteSample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: JsonValue;
}

export interface PanelRoute {
  declaration: Route;
  method: Route['method'];
  url: Route['path'];
  roles: readonly Role[] | 'anyone';
  query: z.ZodType | undefined;
  body: z.ZodType | undefined;
  sample: RouteSample;
  run(deps: PanelDeps, call: RawCall): Promise<PanelAnswer>;
}

interface Definition<R extends Route, Session> {
  sample?: RouteSample;
  handler(this: void, deps: PanelDeps, call: Call<R, Session>): Promise<AnswerTo<R>> | AnswerTo<R>;
}

/** For signing in and everything before it. */
export function openRoute<R extends Route>(declaration: R, definition: Definition<R, PanelSession | null>): PanelRoute {
  return build(declaration, { ...definition, roles: 'anyone', admit: (session) => session });
}

export function panelRoute<R extends Route>(
  declaration: R,
  definition: Definition<R, PanelSession> & { roles: readonly Role[] },
): PanelRoute {
  return build(declaration, { ...definition, admit: (session) => session ?? undefined });
}

/** For owners, and for staff unless `roles` excludes them. The restaurant always comes from the session. */
export function restaurantRoute<R extends Route>(
  declaration: R,
  definition: Definition<R, RestaurantSession> & { roles?: readonly RestaurantRole[] },
): PanelRoute {
  const admit = (session: PanelSession | null) => (session !== null && isOfRestaurant(session) ? session : undefined);
  return build(declaration, { roles: RESTAURANT_ROLES, ...definition, admit });
}

function isOfRestaurant(session: PanelSession): session is RestaurantSession {
  return session.restaurantId !== null && (session.role === 'owner' || session.role === 'staff');
}

interface Guarded<R extends Route, Session> extends Definition<R, Session> {
  roles: PanelRoute['roles'];
  admit(this: void, session: PanelSession | null): Session | undefined;
}

function build<R extends Route, Session>(
  declaration: R,
  { roles, sample = {}, admit, handler }: Guarded<R, Session>,
): PanelRoute {
  const { method, path, query, body } = declaration;
  const params = describeParams(path);
  return {
    declaration,
    method,
    url: path,
    roles,
    query,
    body,
    sample,
    async run(deps, call) {
      const session = admit(call.session);
      if (session === undefined) return refused(refuse('AUTH_023'));
      const givenParams = read(params, call.params);
      // An invalid id gets the same answer as an unknown one.
      if (!givenParams.ok) return refused(refuse('PANEL_001'));
      const unstorable = findNulCharacters(call.query);
      if (unstorable.length > 0) return refused(refuse('REQ_004', undefined, unstorable));
      const givenQuery = read(query, call.query);
      if (!givenQuery.ok) return refused(givenQuery.refusal);
      const json: StrictJson | undefined = body === undefined ? undefined : await call.readBody();
      if (json?.ok === false) return refused(json.refusal);
      const givenBody = read(body, json?.value ?? {});
      if (!givenBody.ok) return refused(givenBody.refusal);
      const { context, client } = call;
      const input = { params: givenParams.value, query: givenQuery.value, body: givenBody.value };
      // The schemas that validated the input are the ones that the types come from.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return handler(deps, { session, ...input, context, client } as Call<R, Session>);
    },
  };
}

function describeParams(path: Route['path']): z.ZodType {
  return z.object(Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, z.uuid()])));
}

type Reading = { ok: true; value: unknown } | { ok: false; refusal: Refusal };

const MAX_PROBLEMS = 50;

/** Without a schema, the handler gets nothing of the request. */
function read(schema: z.ZodType | undefined, value: JsonValue): Reading {
  const result = (schema ?? z.object({})).safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const problems = result.error.issues.slice(0, MAX_PROBLEMS).map((issue) => ({
    field: issue.path.length === 0 ? 'body' : fieldPath(issue.path),
    message: describe(issue, value),
  }));
  return { ok: false, refusal: refuse('REQ_004', undefined, problems) };
}

function describe(issue: z.core.$ZodIssue, value: JsonValue): string {
  const isText = typeof readAt(value, issue.path) === 'string';
  if (isText && issue.code === 'too_small') return `Use at least ${issue.minimum} characters`;
  if (isText && issue.code === 'too_big') return `Use at most ${issue.maximum} characters`;
  return describeExpectedValue(issue, value);
}
