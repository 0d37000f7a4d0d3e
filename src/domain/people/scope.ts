// Whose things a change may touch. What is out of scope is refused exactly like what does not exist, so that nobody
// learns of it.

export type Scope = { restaurantId: string } | { courierId: string } | 'everything';

/** Null for a restaurant or courier that the thing does not have. */
export interface Belonging {
  restaurantId: string | null;
  courierId: string | null;
}

export function isInScope(scope: Scope, { restaurantId, courierId }: Belonging): boolean {
  if (scope === 'everything') return true;
  return 'restaurantId' in scope ? scope.restaurantId === restaurantId : scope.courierId === courierId;
}
