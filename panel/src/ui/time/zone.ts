// The time zone in which every time on the pages is shown. A context of its own, because each card of a board asks.
import { createContext, useContext } from 'react';

/** The restaurant's; an operator, who works for all restaurants, sees UTC. */
export const ZoneContext = createContext('UTC');

/** Where there is no restaurant whose zone could be shown or suggested. */
export function browserZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function useRestaurantZone(): string {
  return useContext(ZoneContext);
}
