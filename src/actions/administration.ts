// Types and refusals shared by all changes of settings, credentials and people.
import { refuse, refused, type Refused } from '../domain/refusals.ts';
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

/** What is to be changed does not exist, or is out of the caller's scope: both look the same. */
export const NOT_FOUND: Refused = refused(refuse('PANEL_001'));
