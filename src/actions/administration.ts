// Types and refusals shared by all changes of settings, credentials and people.
import type { Platform } from '../platform.ts';
import type { AuditActor, ClientActor } from '../store/people/audit-log.ts';
import type { Database } from '../store/database/database.ts';
import type { Vault } from '../secrets/vault.ts';

export type AdministrationDeps = Pick<Platform, 'clock' | 'randomBytes' | 'newId'> & { db: Database; vault: Vault };

/** Who makes the change, as named in the audit log. */
export interface ByActor {
  actor: AuditActor;
}

/** For changes by someone who isn't signed in: the change itself establishes who they are. */
export type FromAddress = Pick<ClientActor, 'address'>;

/** One sentence that says why nothing was changed. Shown on pages too, so it never names a command. */
export interface Refused {
  kind: 'refused';
  message: string;
}

export function refused(message: string): Refused {
  return { kind: 'refused', message };
}

export function refuseUnknownRestaurant(restaurantId: string): Refused {
  return refused(`There is no restaurant with the id ${JSON.stringify(restaurantId)}.`);
}
