// How a route of the panel is written down: who may call it, what it takes, what it does. The builders check parameters,
// query and body by their schemas, so that a handler only ever sees what it asked for.
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { AdministrationDeps } from '../../actions/administration.ts';
import type { OrderChanger } from '../../actions/orders/change-order.ts';
import type { HeadersFor } from '../../actions/webhooks/check-receiver.ts';
import type { PeopleDeps } from '../../actions/people/user-access.ts';
import type { Accounts, Visitor } from '../../accounts/accounts.ts';
import type { SignInLimits } from '../../accounts/sign-in-limits.ts';
import type { CandidateList } from '../../domain/couriers/candidate.ts';
import { fieldPath, readAt, type JsonValue } from '../../domain/canonical-json.ts';
import { RESTAURANT_ROLES, type RestaurantRole, type Role } from '../../domain/people/roles.ts';
import { refuse, type Refusal } from '../../domain/refusals.ts';
import { findNulCharacters } from '../../contract/validation/query-text.ts';
import { sayWhatToSend } from '../../contract/validation/problem-text.ts';
import type { StrictJson } from '../../contract/validation/strict-json.ts';
import type { Log } from '../../platform.ts';
import type { ClientActor } from '../../store/people/audit-log.ts';
import { refused, type Answer } from '../protocol/answer.ts';
import type { Visit } from '../protocol/request-context.ts';
import type { CheckLimit } from './check-limit.ts';
import type { EndpointCheck, EndpointCheckRequest } from './endpoint-inspection.ts';
import type { LiveFeed } from './reads/live-feed.ts';
import type { OperatorDesk } from './reads/operator-reads.ts';
import type { UserTurns } from './user-concurrency.ts';
import type { WebhookDesk } from './reads/webhook-reads.ts';

/** What handlers work with. Whoever needs more adds it here and fills it in app.ts. */
export interface PanelDeps extends AdministrationDeps, PeopleDeps {
  log: Log;
  environment: 'live' | 'test';
  changer: OrderChanger;
  accounts: Accounts;
  limits: SignInLimits;
  turns: UserTurns;
  live: LiveFeed;
  webhooks: WebhookDesk;
  operator: OperatorDesk;
  /** Looks at an endpoint without sending anything. */
  sender: { inspect(url: string): Promise<EndpointCheck['inspection']> };
  checkLimit: CheckLimit;
  checkEndpoint(this: void, request: EndpointCheckRequest): Promise<EndpointCheck>;
  headersFor: HeadersFor;
  /** Who could be given an order by hand; undefined when the order is not live. */
  listCandidates(this: void, request: CandidateRequest): Promise<CandidateList | undefined>;
  /** Without one, links are shown to whoever may pass them on. */
  hasMailServer: boolean;
  /** Null: maps draw without streets. */
  mapStyleUrl: string | null;
  /** Replaces the table of routes, for tests that need a broken one. */
  routes?: readonly PanelRoute[];
}

interface CandidateRequest {
  orderId: string;
  /** The order's. */
  restaurantId: string;
  /** Part of a name; empty for everybody. */
  called: string;
  viewer: 'restaurant' | 'operator';
}

export interface PanelSession {
  sessionId: string;
  userId: string;
  email: string;
  name: string;
  /** While an operator works as a restaurant: owner. */
  role: Role;
  restaurantId: string | null;
  restaurant: { name: string; timeZone: string } | null;
  courierId: string | null;
  hasTwoFactor: boolean;
  /** For the audit log: with the address of the client that sent this request. */
  actor: ClientActor;
  /** E-mail of the operator who works as this restaurant. */
  impersonatedBy: string | null;
}
export interface RestaurantSession extends PanelSession {
  role: RestaurantRole;
  restaurantId: string;
}

export type PanelAnswer = Answer | { kind: 'stream'; stream: Readable; headers: Record<string, string> };

interface Call<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  visit: Visit;
  visitor: Visitor;
}

/** As it arrived. */
export interface RawCall {
  params: JsonValue;
  query: Record<string, string | string[]>;
  readBody(): Promise<StrictJson>;
  visit: Visit;
  visitor: Visitor;
  session: PanelSession | null;
}

/** For the test that tries every route as everybody: what the schema alone does not tell. */
export interface RouteSample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: JsonValue;
}

export interface PanelRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: `/api/${string}`;
  roles: readonly Role[] | 'anyone';
  params: z.ZodType | undefined;
  query: z.ZodType | undefined;
  body: z.ZodType | undefined;
  sample: RouteSample;
  run(deps: PanelDeps, call: RawCall): Promise<PanelAnswer>;
}

interface Definition<Session, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  method: PanelRoute['method'];
  url: PanelRoute['url'];
  params?: P;
  query?: Q;
  body?: B;
  sample?: RouteSample;
  handler(
    this: void,
    deps: PanelDeps,
    call: Call<z.output<P>, z.output<Q>, z.output<B>> & { session: Session },
  ): Promise<PanelAnswer> | PanelAnswer;
}

type None = z.ZodType<Record<string, never>>;

/** For signing in and what comes before it. */
export function openRoute<P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  definition: Definition<PanelSession | null, P, Q, B>,
): PanelRoute {
  return build(definition, 'anyone', (session) => session);
}

export function panelRoute<P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  definition: Definition<PanelSession, P, Q, B> & { roles: readonly Role[] },
): PanelRoute {
  return build(definition, definition.roles, (session) => session ?? undefined);
}

/** For owners, and for staff unless `roles` says otherwise. The restaurant is the session's, whatever the page sends. */
export function restaurantRoute<P extends z.ZodType = None, Q extends z.ZodType = None, B extends z.ZodType = None>(
  definition: Definition<RestaurantSession, P, Q, B> & { roles?: readonly RestaurantRole[] },
): PanelRoute {
  return build(definition, definition.roles ?? RESTAURANT_ROLES, (session) =>
    session !== null && isOfRestaurant(session) ? session : undefined,
  );
}

function isOfRestaurant(session: PanelSession): session is RestaurantSession {
  return session.restaurantId !== null && (session.role === 'owner' || session.role === 'staff');
}

function build<Session, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  definition: Definition<Session, P, Q, B>,
  roles: PanelRoute['roles'],
  admit: (session: PanelSession | null) => Session | undefined,
): PanelRoute {
  const { method, url, params, query, body, sample = {}, handler } = definition;
  return {
    method,
    url,
    roles,
    params,
    query,
    body,
    sample,
    async run(deps, call) {
      const session = admit(call.session);
      if (session === undefined) return refused(refuse('AUTH_023'));
      const givenParams = read(params, call.params);
      // An id that cannot be one is as unknown as any other.
      if (!givenParams.ok) return refused(refuse('PANEL_001'));
      const unstorable = findNulCharacters(call.query);
      if (unstorable.length > 0) return refused(refuse('REQ_004', undefined, unstorable));
      const givenQuery = read(query, call.query);
      if (!givenQuery.ok) return refused(givenQuery.refusal);
      const json: StrictJson | undefined = body === undefined ? undefined : await call.readBody();
      if (json?.ok === false) return refused(json.refusal);
      const givenBody = read(body, json?.value ?? {});
      if (!givenBody.ok) return refused(givenBody.refusal);
      const { visit, visitor } = call;
      return handler(deps, {
        session,
        params: givenParams.value,
        query: givenQuery.value,
        body: givenBody.value,
        visit,
        visitor,
      });
    },
  };
}

type Reading<Value> = { ok: true; value: Value } | { ok: false; refusal: Refusal };

const MOST_PROBLEMS = 50;

function read<S extends z.ZodType>(schema: S | undefined, value: JsonValue): Reading<z.output<S>> {
  const result = (schema ?? z.object({})).safeParse(value);
  // Without a schema nothing of the request reaches the handler, and its type says so.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (result.success) return { ok: true, value: result.data as z.output<S> };
  const problems = result.error.issues.slice(0, MOST_PROBLEMS).map((issue) => ({
    field: issue.path.length === 0 ? 'body' : fieldPath(issue.path),
    message: describe(issue, value),
  }));
  return { ok: false, refusal: refuse('REQ_004', undefined, problems) };
}

function describe(issue: z.core.$ZodIssue, value: JsonValue): string {
  const isText = typeof readAt(value, issue.path) === 'string';
  if (isText && issue.code === 'too_small') return `Use at least ${issue.minimum} characters`;
  if (isText && issue.code === 'too_big') return `Use at most ${issue.maximum} characters`;
  return sayWhatToSend(issue, value);
}
