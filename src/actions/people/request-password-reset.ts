import { HOUR_MS } from '../../domain/time.ts';
import { countLinksSince, insertLink } from '../../store/people/account-links.ts';
import { enqueueMail } from '../../store/people/mail-outbox.ts';
import { findUserByEmail } from '../../store/people/users.ts';
import { linkUrl, makeLinkToken, type PeopleDeps } from './user-access.ts';

const RESET_LIFETIME_MS = HOUR_MS;
/** Enough for a user who can't find the first mail, too few to fill a mailbox. */
const MAX_RESETS_PER_HOUR = 3;

/** Sends a link if a user has this address. The answer never reveals whether one does. */
export function requestPasswordReset(deps: PeopleDeps, request: { email: string }): Promise<void> {
  const email = request.email.trim().toLowerCase();
  return deps.db.transaction(async (tx) => {
    const user = await findUserByEmail(tx, email);
    if (user === undefined || user.disabledAt !== null || !user.hasPassword) return;
    const now = deps.clock.now();
    const link = { userId: user.id, purpose: 'reset' as const };
    if ((await countLinksSince(tx, { ...link, since: now - HOUR_MS })) >= MAX_RESETS_PER_HOUR) return;
    const { token, hash } = makeLinkToken(deps);
    await insertLink(tx, { ...link, tokenHash: hash, createdAt: now, expiresAt: now + RESET_LIFETIME_MS });
    await enqueueMail(tx, deps.vault, {
      id: deps.newId(),
      now,
      to: user.email,
      subject: 'Reset your Waybill password',
      text: [
        'Someone, probably you, requested a new password for your account. Choose it here:',
        linkUrl(deps, 'new-password', token),
        'The link works once and expires after an hour. If it was not you, ignore this email. Your password stays the same.',
      ].join('\n\n'),
    });
  });
}
