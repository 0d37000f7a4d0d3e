// Progress and the tables at the end.
import type { CampaignResult, FaultResult } from './campaign.ts';
import { INVARIANTS, type Invariant } from '../harness/evidence/invariants.ts';
import type { ControlResult } from '../harness/evidence/tamperings.ts';
import { formatTable } from '../harness/text-table.ts';

const MAX_SHOWN = 5;

export function describeFaults(faults: readonly FaultResult[]): string {
  const rows = faults.map(({ name, done, obstacle }) => [
    name,
    obstacle === undefined ? `${done} times` : `skipped: ${obstacle}`,
  ]);
  return formatTable(['fault', 'injected'], rows);
}

export function describeInvariants({ checked }: CampaignResult, controls: readonly ControlResult[]): string {
  const rows = (Object.keys(INVARIANTS) as Invariant[]).map((name) => {
    const found = checked.reduce((sum, { findings }) => sum + (findings.get(name)?.length ?? 0), 0);
    const own = controls.filter((control) => control.invariant === name && control.obstacle === undefined);
    const caught = own.filter((control) => control.isCaught).length;
    return [
      name,
      found === 0 ? 'holds' : `${found} VIOLATIONS`,
      own.length === 0 ? '' : `${caught} of ${own.length} caught`,
    ];
  });
  return formatTable(['invariant', 'result', 'controls'], rows);
}

export function describeControls(controls: readonly ControlResult[]): string {
  return formatTable(
    ['control: must be caught', 'result'],
    controls.map(({ what, isCaught, obstacle }) => [
      what,
      obstacle === undefined ? (isCaught ? 'caught' : 'NOT CAUGHT') : `skipped: ${obstacle}`,
    ]),
  );
}

export function describeViolations({ checked }: CampaignResult): string[] {
  return checked.flatMap(({ findings }) =>
    [...findings].flatMap(([name, found]) => {
      const shown = found.slice(0, MAX_SHOWN).map((text) => `  ${name}: ${text}`);
      return found.length > MAX_SHOWN ? [...shown, `  ${name}: and ${found.length - MAX_SHOWN} more`] : shown;
    }),
  );
}

export function describeVolume({ checked }: CampaignResult): string {
  const sum = (count: (evidence: CampaignResult['checked'][number]['evidence']) => number): number =>
    checked.reduce((total, { evidence }) => total + count(evidence), 0);
  const arrivals = sum((evidence) => evidence.arrivals.length);
  const distinct = sum((evidence) => new Set(evidence.arrivals.map((arrival) => arrival.body)).size);
  return (
    `${sum((evidence) => evidence.orders.length)} orders, ${sum((evidence) => evidence.events.length)} events, ` +
    `${arrivals} webhooks of ${distinct} events`
  );
}
