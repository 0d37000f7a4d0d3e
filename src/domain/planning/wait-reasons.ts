/** Why an order waits for a courier: pages say it while it waits, and its history after it was given up for that. */
export const WAIT_REASONS = {
  NO_DROPOFF_LOCATION: 'The drop-off has no coordinates.',
  NO_PICKUP_LOCATION: 'The restaurant has no coordinates.',
  NOT_YET: 'It is wanted later.',
  NOBODY_ON_DUTY: 'No courier is on duty.',
  NOBODY_ALLOWED: 'No courier on duty may carry it: others have declined, or the order asks for another vehicle.',
  TOO_LARGE: 'It is too large for every courier on duty.',
  SHIFTS_END: 'Every courier on duty ends the shift too early.',
  COSTS_TOO_MUCH: 'Every courier would be too late with other orders.',
  NO_ROOM: 'Every courier is full.',
} as const;

export type WaitReason = keyof typeof WAIT_REASONS;
