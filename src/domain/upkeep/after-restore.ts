// What is lost or reverted when a database returns to an earlier point in time. The restore command and the operator's
// page show the same list.
import { formatUtc, type Instant } from '../time.ts';

export function listUnknownsAfterRestore(dataUntil: Instant): string[] {
  const until = `${formatUtc(dataUntil).slice(0, 19).replace('T', ' ')} UTC`;
  return [
    `Everything that happened after ${until} is missing from this database.`,
    'API keys and Basic credentials revoked since then work again. Revoke them again.',
    'API keys and Basic credentials created since then no longer exist. Their integrators get 401 and need new ones.',
    'Users removed or disabled since then can sign in again. Users added since then no longer exist.',
    'Roles, passwords and second factors changed since then have their old values again.',
    'Webhook URLs and secrets changed since then have their old values again: webhooks may be sent to a server that is no longer used, signed with a replaced secret.',
    'Settings of restaurants and couriers changed since then, and integrations enabled or disabled since then, have their old values again.',
    'Orders accepted since then are lost, although their integrators got 201. Integrators have to send them again. The events feed gives them the cursor to continue from.',
    'Orders finished or canceled since then are open again and may be planned, offered or canceled a second time.',
    'Customer data erased since then is back, and is erased again when its retention ends.',
    'The audit log has no entries for anything since then.',
  ];
}

/** What a restore does automatically. */
export const AFTER_RESTORE_ACTS = 'All users were signed out, and unused invitation and password links were canceled.';
