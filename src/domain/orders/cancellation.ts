// Who may cancel with which reason: contract 6.3 as a table.

export const CANCELED_BY = ['Restaurant', 'Courier', 'System'] as const;
export type CanceledBy = (typeof CANCELED_BY)[number];

export const CANCEL_REASONS = {
  CUSTOMER_REQUEST: { by: ['Restaurant'], meaning: 'The customer asked for it' },
  OUT_OF_STOCK: { by: ['Restaurant'], meaning: 'Item out of stock' },
  WRONG_ADDRESS: { by: ['Courier'], meaning: 'Address could not be found' },
  CUSTOMER_NOT_AVAILABLE: { by: ['Courier'], meaning: 'The customer could not be reached' },
  COURIER_NOT_AVAILABLE: { by: ['System'], meaning: 'No courier was found' },
  RESTAURANT_CLOSED: { by: ['System'], meaning: 'The restaurant is closed' },
  OTHER: { by: ['Restaurant', 'Courier'], meaning: 'Other reasons' },
} as const satisfies Record<string, { by: readonly CanceledBy[]; meaning: string }>;

export type CancelReasonId = keyof typeof CANCEL_REASONS;

export interface Cancellation {
  reasonId: CancelReasonId;
  by: CanceledBy;
  /** Free text; the reason's meaning if none was given. */
  text: string;
}

export function describeCancellation(reasonId: CancelReasonId, said = ''): string {
  return said.trim() === '' ? CANCEL_REASONS[reasonId].meaning : said.trim();
}

export const CANCEL_REASON_IDS = Object.keys(CANCEL_REASONS).filter(isCancelReasonId);

export function isCancelReasonId(text: string): text is CancelReasonId {
  return Object.hasOwn(CANCEL_REASONS, text);
}

export function mayCancelWith(by: CanceledBy, reasonId: CancelReasonId): boolean {
  const allowed: readonly CanceledBy[] = CANCEL_REASONS[reasonId].by;
  return allowed.includes(by);
}

/** The role giving the command, and whether the order's courier has not answered the offer yet. */
interface Giver {
  role: string;
  isOnlyOffered: boolean;
}

/** Null if this role may cancel with this reason. Only the operator may cancel on behalf of others. */
export function whyNotCancel({ reasonId, by }: Cancellation, { role, isOnlyOffered }: Giver): string | null {
  if (!mayCancelWith(by, reasonId)) return `${by} cannot cancel with ${reasonId}`;
  if (role !== 'operator' && role !== by.toLowerCase()) return `The role ${role} cannot cancel as ${by}`;
  // Otherwise any courier with an offer could cancel a restaurant's order instead of passing it on.
  if (role === 'courier' && isOnlyOffered) return 'A courier can decline the offer, but cannot cancel the order';
  return null;
}

export function reasonsOf(by: CanceledBy): CancelReasonId[] {
  return CANCEL_REASON_IDS.filter((reasonId) => mayCancelWith(by, reasonId));
}
