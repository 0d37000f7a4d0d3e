// Runs the receiver check against a restaurant's registered URL. Its requests are not events: they appear in no feed
// and no delivery log, and never count as failures.
import {
  CHECK_CASES,
  judgeAnswers,
  requestsOf,
  type CheckCase,
  type CheckRequest,
  type CheckSubject,
  type Judgment,
} from '../../domain/webhooks/receiver-check.ts';
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import { refuse, refused, refuseWith, type Refused } from '../../domain/refusals.ts';
import { SECOND_MS, type Instant } from '../../domain/time.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { listEndpointTargets, openSecret } from '../../store/webhooks/endpoints.ts';
import { findRestaurant } from '../../store/restaurants/restaurants.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

interface SentAnswer {
  ok: boolean;
  status: number | null;
  errorText: string | null;
  answer: string | null;
  totalMs: number;
}

/** Sends with the outbound address checks: never rejects, and ends within the five seconds of the contract. */
export interface CheckSender {
  send(request: { url: string; body: string; headers: Record<string, string> }): Promise<SentAnswer>;
}

/** Builds a webhook's headers: signed with the secret, with delivery metadata if that is enabled. */
export type HeadersFor = (
  this: void,
  sent: { eventId: string; attempts: number; version: number; body: string },
  signing: { secret: string | null; hasMetadata: boolean },
  at: Instant,
) => Record<string, string>;

export interface ReceiverCheckDeps extends AdministrationDeps {
  sender: CheckSender;
  headersFor: HeadersFor;
}

export interface CheckReceiverRequest extends ByActor {
  /** Waybill's own id. */
  restaurantId: string;
  endpoint: EndpointKind;
}

export interface CheckedCase extends Judgment {
  name: CheckCase;
  status: number | null;
  slowestMs: number | null;
  errorText: string | null;
  answer: string | null;
  sent: { headers: Record<string, string>; body: string } | null;
}

export interface StartedCheck {
  kind: 'started';
  url: string;
  cases: readonly CheckCase[];
  /** Yields each result as soon as it is known. The check stops when iteration stops. */
  results: AsyncGenerator<CheckedCase, void>;
}

export interface ReceiverChecker {
  start(request: CheckReceiverRequest): Promise<StartedCheck | Refused>;
}

/** Between two checks of one restaurant, per node: the check must not be usable to flood a receiver. */
const CHECK_PAUSE_MS = 20 * SECOND_MS;
const MAX_REMEMBERED = 1_000;

export function createReceiverChecker(deps: ReceiverCheckDeps): ReceiverChecker {
  const startedAtMs = new Map<string, number>();
  return {
    async start(request) {
      const nowMs = deps.clock.monotonicMs();
      const waitMs = (startedAtMs.get(request.restaurantId) ?? -Infinity) + CHECK_PAUSE_MS - nowMs;
      if (waitMs > 0) {
        return refused(refuseWith('WEBHOOK_007', { seconds: Math.ceil(waitMs / SECOND_MS) }));
      }
      if (startedAtMs.size >= MAX_REMEMBERED) startedAtMs.clear();
      // Set before the first await, so that two concurrent requests can't both start.
      startedAtMs.set(request.restaurantId, nowMs);
      const target = await findTarget(deps, request);
      if (target.kind === 'refused') {
        startedAtMs.delete(request.restaurantId);
        return target;
      }
      await deps.db.transaction((tx) =>
        recordChange(tx, {
          at: deps.clock.now(),
          actor: request.actor,
          restaurantId: request.restaurantId,
          action: 'receiver.checked',
          detail: { endpoint: request.endpoint, url: target.url },
        }),
      );
      return { kind: 'started', url: target.url, cases: CHECK_CASES, results: play(deps, target) };
    },
  };
}

interface CheckTarget {
  kind: 'target';
  url: string;
  secret: string | null;
  hasMetadata: boolean;
  subject: CheckSubject;
}

async function findTarget(deps: ReceiverCheckDeps, request: CheckReceiverRequest): Promise<CheckTarget | Refused> {
  const { restaurantId, endpoint } = request;
  const restaurant = await findRestaurant(deps.db, restaurantId);
  const targets = await listEndpointTargets(deps.db, [restaurantId]);
  const target = targets.find(({ kind }) => kind === endpoint);
  if (restaurant === undefined || target === undefined || target.url === null) {
    return refused(refuse('WEBHOOK_006'));
  }
  const { providerRestaurantId, timeZone } = restaurant;
  return {
    kind: 'target',
    url: target.url,
    secret: openSecret(deps.vault, target),
    hasMetadata: target.deliveryMetadata,
    subject: {
      endpoint,
      mark: deps.randomBytes(6).toString('hex'),
      providerRestaurantId,
      timeZone,
      at: deps.clock.now(),
    },
  };
}

async function* play(deps: ReceiverCheckDeps, target: CheckTarget): AsyncGenerator<CheckedCase, void> {
  let isReached = true;
  for (const name of CHECK_CASES) {
    if (!isReached) {
      yield skip(name, 'not-tried');
    } else if (name === 'wrong-signature' && target.secret === null) {
      yield skip(name, 'no-secret');
    } else {
      const result = await playCase(deps, target, name);
      // If the first case gets no answer, the others would only run into the same five-second timeout.
      isReached = name !== 'valid' || result.finding !== 'not-reached';
      yield result;
    }
  }
}

async function playCase(deps: ReceiverCheckDeps, target: CheckTarget, name: CheckCase): Promise<CheckedCase> {
  const requests = requestsOf(name, target.subject).map((request) => ({
    body: request.body,
    headers: headersOf(deps, request, target),
  }));
  const answers = await Promise.all(requests.map((request) => deps.sender.send({ url: target.url, ...request })));
  const judgment = judgeAnswers(
    name,
    answers.map(({ ok, status, totalMs }) => ({ isAccepted: ok, status, totalMs })),
  );
  const worst = answers.find(({ ok }) => !ok) ?? answers[0];
  return {
    name,
    ...judgment,
    status: worst?.status ?? null,
    slowestMs: Math.max(...answers.map(({ totalMs }) => totalMs)),
    errorText: worst?.errorText ?? null,
    answer: worst?.answer ?? null,
    sent: requests[0] ?? null,
  };
}

function headersOf(deps: ReceiverCheckDeps, request: CheckRequest, target: CheckTarget): Record<string, string> {
  const { secret, hasMetadata } = target;
  const { eventId, body, signature } = request;
  // A wrong key: no issued secret is another one plus a suffix.
  const key = secret === null || signature === 'good' ? secret : `${secret} forged`;
  return deps.headersFor({ eventId, body, attempts: 0, version: 0 }, { secret: key, hasMetadata }, deps.clock.now());
}

function skip(name: CheckCase, finding: 'not-tried' | 'no-secret'): CheckedCase {
  const nothing = { status: null, slowestMs: null, errorText: null, answer: null, sent: null };
  return { name, verdict: 'skipped', finding, ...nothing };
}
