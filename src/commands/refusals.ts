// What the command line says about a refusal.
import { describeRefusal, type RefusalCode, type Refused } from '../domain/refusals.ts';
import type { Outcome } from './terminal/command.ts';

/** Replace the catalog's messages where the command line can advise what to run; without a full stop after a command. */
export const COMMAND_LINE_SENTENCES = {
  COURIER_003: '{name} is off duty. Put them on duty with: courier duty <courier> on',
} as const satisfies Partial<Record<RefusalCode, string>>;

const FIELDS: Record<string, string> = {};

export function failed({ refusal }: Refused): Outcome & { kind: 'failed' } {
  const [problem] = refusal.details ?? [];
  if (problem !== undefined) {
    const { field, message } = problem;
    const rule = `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
    return { kind: 'failed', message: `${FIELDS[field] ?? field} ${rule}.` };
  }
  const sentence = describeRefusal(refusal, COMMAND_LINE_SENTENCES);
  return { kind: 'failed', message: refusal.code in COMMAND_LINE_SENTENCES ? sentence : `${sentence}.` };
}
