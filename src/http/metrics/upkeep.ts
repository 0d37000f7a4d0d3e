// Metrics about support cases, mail, the audit and items that were set aside.
import { Gauge, type Registry } from 'prom-client';
import { DIFFERENCE_KINDS } from '../../domain/upkeep/history-audit.ts';
import { WORK_KINDS } from '../../domain/upkeep/set-aside.ts';
import type { UpkeepGauges } from '../../store/upkeep/upkeep-gauges.ts';

export interface UpkeepMetrics {
  show(reading: UpkeepGauges): void;
  /** No figure is better than a stale one. */
  clear(): void;
}

export function createUpkeepMetrics(registry: Registry): UpkeepMetrics {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> =>
    new Gauge({ name: `waybill_${name}`, help, labelNames, registers: [registry] });
  const cases = gauge('support_cases', 'Unresolved support cases: open or contacted.', ['state']);
  const mails = gauge('mails', 'Mails that were not sent: queued, or refused by the mail server.', ['state']);
  const oldestMail = gauge('mail_oldest_queued_seconds', 'Age of the oldest queued mail.');
  const differences = gauge('audit_differences', 'Differences found by the audit, by kind. Must be 0.', ['kind']);
  const setAside = gauge('set_aside', 'Orders, couriers and restaurants that could not be processed. Must be 0.', [
    'work',
  ]);
  const passSeconds = gauge('audit_last_pass_seconds', 'Duration of the last complete pass of the audit.');
  const passAge = gauge('audit_last_pass_age_seconds', 'Time since the last complete pass of the audit ended.');
  const clear = (): void => {
    // `reset` empties gauges with labels; the others need `remove`.
    for (const labeled of [cases, mails, differences, setAside]) labeled.reset();
    for (const plain of [oldestMail, passSeconds, passAge]) plain.remove();
  };
  clear();
  return {
    clear,
    show(reading) {
      for (const [state, count] of Object.entries(reading.supportCases)) cases.set({ state }, count);
      for (const [state, count] of Object.entries(reading.mails)) mails.set({ state }, count);
      oldestMail.set(reading.oldestMailSeconds);
      const counts = new Map(reading.differences.map(({ kind, count }) => [kind, count]));
      for (const kind of DIFFERENCE_KINDS) differences.set({ kind }, counts.get(kind) ?? 0);
      const troubles = new Map(reading.setAside.map(({ work, count }) => [work, count]));
      for (const work of WORK_KINDS) setAside.set({ work }, troubles.get(work) ?? 0);
      if (reading.auditPass === null) return;
      passSeconds.set(reading.auditPass.durationSeconds);
      passAge.set(reading.auditPass.ageSeconds);
    },
  };
}
