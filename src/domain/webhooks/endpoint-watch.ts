// Time-based decisions about a failing endpoint: when its restaurant is notified, when the operator gets a support
// case, and when both end. Pure, and independent of traffic: only time has to pass.
import { HOUR_MS, MINUTE_MS, type Instant } from '../time.ts';

export const NOTIFY_RESTAURANT_AFTER_MS = 15 * MINUTE_MS;
/** From contract 6.4.3. */
export const OPEN_CASE_AFTER_MS = 24 * HOUR_MS;

/** The ongoing outage of which the restaurant has been notified. */
export interface ReportedOutage {
  failingSince: Instant;
  hasCase: boolean;
}

export interface EndpointCondition {
  /** It has a URL and the integration is on, so webhooks are sent. */
  isSending: boolean;
  /** The first failure after the last success at the currently registered URL. */
  failingSince: Instant | null;
  lastSuccessAt: Instant | null;
  outage: ReportedOutage | null;
}

export type WatchStep =
  /** Nothing is sent any more, so nothing fails: after switching on again, the count starts over. */
  'forget_failing' | 'end_by_switching_off' | 'notify_restaurant' | 'open_case' | 'notify_recovery';

/** In the order in which they must be taken. */
export function decideWatchSteps(endpoint: EndpointCondition, now: Instant): WatchStep[] {
  const { failingSince, outage } = endpoint;
  if (!endpoint.isSending) {
    return [
      ...(failingSince === null ? [] : (['forget_failing'] as const)),
      ...(outage === null ? [] : (['end_by_switching_off'] as const)),
    ];
  }
  if (outage !== null && hasRecovered(endpoint, outage)) return ['notify_recovery'];
  if (failingSince === null) return [];
  const since = outage?.failingSince ?? failingSince;
  const mustNotify = outage === null && now - since >= NOTIFY_RESTAURANT_AFTER_MS;
  const mustOpenCase = outage?.hasCase !== true && now - since >= OPEN_CASE_AFTER_MS;
  return [...(mustNotify ? (['notify_restaurant'] as const) : []), ...(mustOpenCase ? (['open_case'] as const) : [])];
}

// A success ends the outage, even if failures follow. A new URL alone does not: only a success shows that it works.
function hasRecovered({ failingSince, lastSuccessAt }: EndpointCondition, outage: ReportedOutage): boolean {
  return failingSince !== outage.failingSince && lastSuccessAt !== null && lastSuccessAt >= outage.failingSince;
}
