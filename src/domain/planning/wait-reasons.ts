/** Why an order waits for a courier. Shown on pages while it waits, and in its history if it was canceled for this. */
export const WAIT_REASONS = {
  NO_DROPOFF_LOCATION: 'The drop-off has no coordinates.',
  NO_PICKUP_LOCATION: 'The restaurant has no coordinates.',
  NOT_YET: 'The order is for later.',
  NOBODY_ON_DUTY: 'No courier is on duty.',
  NOBODY_ALLOWED: 'No courier on duty is eligible: they declined, or the order needs another vehicle.',
  TOO_LARGE: 'The order is too large for every courier on duty.',
  SHIFTS_END: "Every courier's shift ends too early.",
  COSTS_TOO_MUCH: 'With any courier, other orders would be too late.',
  NO_ROOM: 'No courier has capacity left.',
} as const;

export type WaitReason = keyof typeof WAIT_REASONS;
