/** Stacking order on the live map. */
export const LEVELS = { restaurant: 1, label: 2, courier: 3, stop: 4 } as const;
