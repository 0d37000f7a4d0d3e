// What the command line says about a refusal.
import { WRONG_MASTER_KEY } from '../actions/upkeep/check-master-key.ts';
import { describeRefusal, type RefusalCode, type Refused } from '../domain/refusals.ts';
import type { Outcome } from './terminal/command.ts';

/** Replace the catalog's messages where the command line can advise what to run; without a full stop after a command. */
export const COMMAND_LINE_SENTENCES = {
  COURIER_003: '{name} is off duty. Put them on duty with: courier duty <courier> on',
  WEBHOOK_001: 'A webhook secret is already pending. Switch to it with --switch, or remove it with --remove.',
  WEBHOOK_002: 'There is no pending webhook secret. Create one with: webhook secret --restaurant R',
  WEBHOOK_008: 'The webhook is not waiting to be sent. List webhooks with: delivery list --restaurant R',
  UPKEEP_002: WRONG_MASTER_KEY,
} as const satisfies Partial<Record<RefusalCode, string>>;

/** Fields of settings as they are called in a sentence. */
const FIELDS: Record<string, string> = {
  restaurantId: 'The restaurant id',
  name: 'The name',
  address: 'The address',
  timeZone: 'The time zone',
  contactEmail: 'The contact email',
  phone: 'The phone number',
  preparationMinutes: 'The preparation time',
  courierWaitLimitMinutes: 'The courier wait limit',
  approvalLimitMinutes: 'The approval limit',
  rateLimitPerMinute: 'The rate limit',
  latitude: 'The latitude',
  longitude: 'The longitude',
  capacity: 'The capacity',
  payPerOrder: 'The pay per order',
  email: 'The email address',
  courierId: 'The courier',
  status: 'The status URL',
  cancel: 'The cancel URL',
  note: 'The note',
};

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
