// Texts for a candidate courier. Pure.
import type { CandidateView } from '../../../../src/contract/panel/planning/candidates.ts';
import { vehicleTexts } from '../../texts/operator/couriers.ts';
import { candidateTexts } from '../../texts/planning/planning.ts';
import { formatDistance } from '../courier/stops/distance.ts';

const SECONDS_A_MINUTE = 60;
/** Shorter delays of other customers are not worth a warning. */
const MIN_PUSH_SECONDS = 120;

/** Rounds up: a detour of half a minute must not show as 0. */
export function roundMinutes(seconds: number): number {
  return Math.ceil(seconds / SECONDS_A_MINUTE);
}

/** "Bicycle", "1 on board, 2 promised", "3 of 4 bags", "800 m from the pickup" */
export function describeWork(courier: CandidateView): string[] {
  const { vehicle, carried, promised, bags, capacity } = courier;
  const distance = describeDistance(courier);
  const load =
    carried + promised === 0
      ? [candidateTexts.idle(capacity)]
      : [candidateTexts.load(carried, promised), candidateTexts.bags(bags, capacity)];
  return [vehicleTexts[vehicle], ...load, ...(distance === null ? [] : [candidateTexts.away(distance)])];
}

function describeDistance({ distanceMeters, rough }: CandidateView): string | null {
  if (rough === null) return distanceMeters === null ? null : formatDistance(distanceMeters);
  return rough.distanceKm && candidateTexts.kilometers(describeBand(rough.distanceKm));
}

type Band = NonNullable<NonNullable<CandidateView['rough']>['distanceKm']>;

/** "under 10", "10–20" or "over 40" */
export function describeBand({ from, under }: Band): string {
  if (under === null) return candidateTexts.over(from);
  return from === 0 ? candidateTexts.under(under) : candidateTexts.between(from, under);
}

export function listWarnings({ warnings, figures }: CandidateView): string[] {
  const texts: string[] = warnings.map((warning) => candidateTexts.warnings[warning]);
  if (figures !== null && figures.pushesBackSeconds >= MIN_PUSH_SECONDS) {
    texts.push(candidateTexts.pushesBack(roundMinutes(figures.pushesBackSeconds)));
  }
  return texts;
}
