import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import { hashPassword } from '../../secrets/passwords.ts';
import { claimLink, findLinkOwner, type LinkPurpose } from '../../store/people/account-links.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { deleteSessionsOfUser } from '../../store/people/sessions.ts';
import { findUser, savePassword, updateUserName } from '../../store/people/users.ts';
import type { FromAddress } from '../administration.ts';
import { hashLinkToken, type PeopleDeps } from './user-access.ts';

export interface ChoosePasswordRequest extends FromAddress {
  token: string;
  password: string;
  /** The user's display name; unchanged if omitted. */
  name?: string | undefined;
}

export type ChosenPassword = { kind: 'chosen'; email: string; purpose: LinkPurpose } | Refused;

/** Uses a link from a mail to accept an invitation or set a new password. Ends all of the user's sessions. */
export async function choosePassword(deps: PeopleDeps, request: ChoosePasswordRequest): Promise<ChosenPassword> {
  const now = deps.clock.now();
  const tokenHash = hashLinkToken(deps.vault, request.token);
  // Hashing is expensive, so requests without a valid link are refused first.
  if ((await findLinkOwner(deps.db, tokenHash, now)) === undefined) return refused(refuse('AUTH_025'));
  const hash = await hashPassword(request.password, deps.randomBytes);
  return deps.db.transaction(async (tx) => {
    const link = await claimLink(tx, tokenHash, now);
    const user = link && (await findUser(tx, link.userId));
    if (link === undefined || user === undefined || user.disabledAt !== null) return refused(refuse('AUTH_025'));
    await savePassword(tx, { id: deps.newId(), userId: user.id, hash, at: now });
    if (request.name !== undefined) await updateUserName(tx, user.id, request.name);
    await deleteSessionsOfUser(tx, user.id);
    await recordChange(tx, {
      at: now,
      actor: { name: user.email, address: request.address },
      restaurantId: user.restaurantId,
      action: link.purpose === 'invitation' ? 'user.joined' : 'user.password_changed',
      detail: { userId: user.id, email: user.email },
    });
    return { kind: 'chosen', email: user.email, purpose: link.purpose };
  });
}
