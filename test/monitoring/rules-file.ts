// The alert rules, read without a YAML parser: every alert is written in the same form, and anything else is an error.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
export const RULES_FILE = path.join(ROOT, 'deploy', 'prometheus', 'waybill.rules.yml');

export interface Alert {
  name: string;
  expression: string;
  severity: string;
  /** A path in this repository. */
  runbook: string;
}

export function readRules(): string {
  return readFileSync(RULES_FILE, 'utf8');
}

const ALERT =
  /^ {6}- alert: (?<name>\w+)\n {8}expr: (?<expression>\|\n(?: {10}.*\n)+|.+\n)(?: {8}for: \d+m\n)? {8}labels:\n {10}severity: (?<severity>\w+)\n {8}annotations:\n {10}summary: .+\n {10}runbook_url: (?<runbook>\S+)\n/gm;

export function listAlerts(rules = readRules()): Alert[] {
  const alerts = [...rules.matchAll(ALERT)].map(({ groups = {} }) => ({
    name: groups['name'] ?? '',
    expression: groups['expression']?.replace(/^\|\n/, '').trim() ?? '',
    severity: groups['severity'] ?? '',
    runbook: groups['runbook'] ?? '',
  }));
  const count = rules.match(/- alert:/g)?.length ?? 0;
  if (alerts.length !== count) throw new Error(`${count - alerts.length} alerts have another form than the others`);
  return alerts;
}

/**
 * The same rules in less time: divides every duration, which is `for`, ranges and offsets, and leaves the rest as it is.
 * Thresholds keep their values, so a fault must be as old or as large as in reality.
 */
export function accelerate(rules: string, factor: number): string {
  const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };
  return rules.replaceAll(
    /(?<=\bfor: |\[|\boffset )(\d+)([smh])\b/g,
    (_, count: string, unit: string) => `${Math.round((Number(count) * (units[unit] ?? 0)) / factor)}ms`,
  );
}
