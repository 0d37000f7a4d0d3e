// Time-based decisions about a failing endpoint: when its restaurant is notified, when the operator gets a support
// case, and when both end. Pure, and independent of traffic: only time has to pass.
import { HOUR_MS, MINUTE_MS, type Instant } from '../time.ts';

export const TELL_RESTAURANT_AFTER_MS = 15 * MINUTE_MS;
/** From contract 6.4.3. */
export const OPEN_CASE_AFTER_MS = 24 * HOUR_MS;

/** The ongoing outage of which the restaurant has been notified. */
export interface ToldSpell {
  failingSince: Instant;
  hasCase: boolean;
}

export interface EndpointCondition {
  /** It has a URL and the integration is on, so webhooks are sent. */
  isSending: boolean;
  /** The first failure after the last success at the currently registered URL. */
  failingSince: Instant | null;
  lastSuccessAt: Instant | null;
  spell: ToldSpell | null;
}

export type WatchStep =
  /** Nothing is sent any more, so nothing fails: after switching on again, the count starts over. */
  'forget_failing' | 'end_by_switching_off' | 'tell_restaurant' | 'open_case' | 'tell_recovery';

/** In the order in which they must be taken. */
export function decideWatchSteps(endpoint: EndpointCondition, now: Instant): WatchStep[] {
  const { failingSince, spell } = endpoint;
  if (!endpoint.isSending) {
    return [
      ...(failingSince === null ? [] : (['forget_failing'] as const)),
      ...(spell === null ? [] : (['end_by_switching_off'] as const)),
    ];
  }
  if (spell !== null && hasRecovered(endpoint, spell)) return ['tell_recovery'];
  if (failingSince === null) return [];
  const since = spell?.failingSince ?? failingSince;
  const isToTell = spell === null && now - since >= TELL_RESTAURANT_AFTER_MS;
  const isToOpen = spell?.hasCase !== true && now - since >= OPEN_CASE_AFTER_MS;
  return [...(isToTell ? (['tell_restaurant'] as const) : []), ...(isToOpen ? (['open_case'] as const) : [])];
}

// A success ends the outage, even if failures follow. A new URL alone does not: only a success shows that it works.
function hasRecovered({ failingSince, lastSuccessAt }: EndpointCondition, spell: ToldSpell): boolean {
  return failingSince !== spell.failingSince && lastSuccessAt !== null && lastSuccessAt >= spell.failingSince;
}
