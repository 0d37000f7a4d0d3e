// What a database cannot know after it went back to an earlier moment. Said by the command that restores and on the
// operator's page, in the same sentences.
import type { Instant } from '../time.ts';

export function listUnknownsAfterRestore(dataUntil: Instant): string[] {
  const until = `${new Date(dataUntil).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return [
    `Nothing that happened after ${until} is in this database, and it cannot tell what is missing.`,
    'API keys and Basic credentials that were revoked since then work again. Revoke them again.',
    'API keys and Basic credentials that were created since then no longer exist. Their integrators get 401 and need new ones.',
    'People who were removed or disabled since then can sign in again. People who were added since then are gone.',
    'Roles, passwords and second factors that were changed since then are the old ones again.',
    'Webhook URLs and secrets that were changed since then are the old ones again: webhooks may go to a server that was given up, signed with a secret that was replaced.',
    'Settings of restaurants and couriers, and integrations that were switched on or off since then, are as they were before.',
    'Orders accepted since then are lost, although their integrators got 201. Integrators have to send them again; the events feed tells them where to read on.',
    'Orders that were finished or canceled since then are open again and may be planned, offered or canceled a second time.',
    'Customer data that was erased since then is back until its retention ends.',
    'The audit log has no entry for any of this.',
  ];
}

/** What happens without anybody's doing. */
export const AFTER_RESTORE_ACTS = 'Everybody was signed out, and unused invitation and password links were canceled.';
