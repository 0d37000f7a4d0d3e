// Who signs in to the pages.

export const ROLES = ['owner', 'staff', 'courier', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Roles of people who work for one restaurant. */
export const RESTAURANT_ROLES = ['owner', 'staff'] as const satisfies readonly Role[];
export type RestaurantRole = (typeof RESTAURANT_ROLES)[number];

export function isRestaurantRole(role: Role): role is RestaurantRole {
  return role === 'owner' || role === 'staff';
}

/** Long enough to resist the few guesses that rate limits allow; there are no rules about characters. */
export const MIN_PASSWORD_LENGTH = 10;
/** Hashing reads the whole password, so its length is limited. */
export const MAX_PASSWORD_LENGTH = 128;
