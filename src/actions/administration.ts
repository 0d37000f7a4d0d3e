// What all changes of settings, credentials and people have in common.
import type { Platform } from '../platform.ts';
import type { Database } from '../store/database.ts';
import type { Vault } from '../vault.ts';

export type AdministrationDeps = Pick<Platform, 'clock' | 'randomBytes' | 'newId'> & { db: Database; vault: Vault };

/** Who makes the change, as the audit log names them. */
export interface ByActor {
  actor: string;
}

/** Where a change to somebody's account came from, for the audit log. */
export interface FromAddress {
  /** The client's. */
  address: string;
}

/** Says no in one sentence, to whoever asked; nothing was changed. */
export interface Refused {
  kind: 'refused';
  message: string;
}

export function refused(message: string): Refused {
  return { kind: 'refused', message };
}

export function refuseUnknownRestaurant(restaurantId: string): Refused {
  return refused(
    `There is no restaurant ${JSON.stringify(restaurantId)}. Add it first: restaurant add --name N --restaurant-id R`,
  );
}
