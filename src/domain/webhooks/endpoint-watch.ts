// What the clock decides about an endpoint that fails: when its restaurant is told, when the operator gets a support
// case, and when both are over. Pure, and independent of traffic: nothing but time has to pass.
import { HOUR_MS, MINUTE_MS, type Instant } from '../time.ts';

export const TELL_RESTAURANT_AFTER_MS = 15 * MINUTE_MS;
/** Contract 6.4.3. */
export const OPEN_CASE_AFTER_MS = 24 * HOUR_MS;

/** The failing spell that the restaurant was told of and that is not over yet. */
export interface ToldSpell {
  failingSince: Instant;
  hasCase: boolean;
}

export interface EndpointCondition {
  /** There is a URL and the integration is switched on: webhooks are sent. */
  isSending: boolean;
  /** The first failure after the last success at the URL that is registered now. */
  failingSince: Instant | null;
  lastSuccessAt: Instant | null;
  spell: ToldSpell | null;
}

export type WatchStep =
  /** Nothing is sent any more, so nothing fails: what comes after switching on again begins anew. */
  'forget_failing' | 'end_by_switching_off' | 'tell_restaurant' | 'open_case' | 'tell_recovery';

/** In the order in which they are to be taken. */
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

// A success ends the spell, whatever failed after it. A new URL alone does not: only a success shows that it works.
function hasRecovered({ failingSince, lastSuccessAt }: EndpointCondition, spell: ToldSpell): boolean {
  return failingSince !== spell.failingSince && lastSuccessAt !== null && lastSuccessAt >= spell.failingSince;
}
