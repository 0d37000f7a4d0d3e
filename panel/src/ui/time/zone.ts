// The time zone of all times on the pages. A separate context, because every card of a board reads it.
import { createContext, useContext } from 'react';

/** The restaurant's zone; UTC for operators, who work for all restaurants. */
export const ZoneContext = createContext('UTC');

/** For pages without a restaurant whose zone could be shown or suggested. */
export function browserZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function useRestaurantZone(): string {
  return useContext(ZoneContext);
}
