import { mailRefusedText } from '../../domain/webhooks/mail-texts.ts';
import type { Platform } from '../../platform.ts';
import type { Database } from '../../store/database/database.ts';
import { enqueueMail, markMailRefused, type ClaimedMail } from '../../store/people/mail-outbox.ts';
import type { Vault } from '../../secrets/vault.ts';
import { listOperatorRecipients, type OperatorMail } from './operator-mail.ts';

export type RefusedMailDeps = Pick<Platform, 'clock' | 'newId' | 'log'> & { db: Database; vault: Vault } & OperatorMail;

/** Gives up on a mail whose recipient doesn't exist and notifies the operator, unless the mail was the operator's. */
export function reportRefusedMail(
  deps: RefusedMailDeps,
  mail: Pick<ClaimedMail, 'id' | 'to' | 'subject'>,
  error: string,
): Promise<void> {
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    if (!(await markMailRefused(tx, mail.id, { now, error }))) return;
    const recipients = await listOperatorRecipients(deps, tx);
    // Reporting a refused mail to the address that refused it could loop forever.
    if (recipients.includes(mail.to)) return;
    const text = mailRefusedText({ ...mail, error, publicUrl: deps.publicUrl });
    for (const to of recipients) await enqueueMail(tx, deps.vault, { id: deps.newId(), to, ...text, now });
  });
}
