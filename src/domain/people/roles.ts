// Who signs in to the pages.

export const ROLES = ['owner', 'staff', 'courier', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Those who work for one restaurant. */
export const RESTAURANT_ROLES = ['owner', 'staff'] as const satisfies readonly Role[];
export type RestaurantRole = (typeof RESTAURANT_ROLES)[number];

export function isRestaurantRole(role: Role): role is RestaurantRole {
  return role === 'owner' || role === 'staff';
}

/** Long enough to resist the few guesses that are let through; nothing is demanded of its characters. */
export const SHORTEST_PASSWORD = 10;
/** Hashing reads all of it, so there is an end. */
export const LONGEST_PASSWORD = 128;
