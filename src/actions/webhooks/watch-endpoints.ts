// Notifies people about failing endpoints. Each decision, its mails and its record are one transaction under the
// endpoint's lock, so nodes may run this concurrently and each notice is still sent once.
import { decideWatchSteps, type WatchStep } from '../../domain/webhooks/endpoint-watch.ts';
import {
  caseClosedText,
  caseOpenedText,
  failingText,
  noRecipientText,
  recoveredText,
  type FailingFacts,
  type MailText,
  type RecoveryFacts,
} from '../../domain/webhooks/mail-texts.ts';
import { describeError, type SetAside, type Trouble } from '../../domain/upkeep/set-aside.ts';
import type { Instant } from '../../domain/time.ts';
import type { Platform } from '../../platform.ts';
import { DatabaseUnavailable, type Database, type Queryable } from '../../store/database/database.ts';
import {
  correctHealthFromLog,
  endOutage,
  findWatchedEndpointForUpdate,
  clearFailingSince,
  insertOutage,
  listOwnerAddresses,
  listWatchedEndpoints,
  readEndpointTrouble,
  type EndpointTrouble,
  type WatchedEndpoint,
} from '../../store/webhooks/endpoint-health.ts';
import { enqueueMail } from '../../store/people/mail-outbox.ts';
import { insertSupportCase, resolveCaseOfOutage } from '../../store/webhooks/support-cases.ts';
import type { Vault } from '../../secrets/vault.ts';
import { listOperatorRecipients, type OperatorMail } from './operator-mail.ts';

export type WatchDeps = Pick<Platform, 'clock' | 'newId' | 'log'> & {
  db: Database;
  vault: Vault;
  setAside: SetAside;
} & OperatorMail;

/** Returns how many steps were taken. */
export async function watchEndpoints(deps: WatchDeps): Promise<number> {
  let steps = 0;
  const troubles: Trouble[] = [];
  for (const endpoint of await listWatchedEndpoints(deps.db)) {
    try {
      steps += await takeSteps(deps, endpoint);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      troubles.push({ kind: 'restaurant', id: endpoint.restaurantId, reason: describeError(error) });
    }
  }
  await deps.setAside.report('endpoint_watch', troubles);
  return steps;
}

async function takeSteps(deps: WatchDeps, endpoint: WatchedEndpoint): Promise<number> {
  if (decideWatchSteps(endpoint, deps.clock.now()).length === 0) return 0;
  const taken = await deps.db.transaction((tx) => watchOne(deps, tx, endpoint));
  for (const step of taken) {
    const { restaurantId, endpoint: kind } = endpoint;
    deps.log.info({ event: 'endpoint.watched', step, restaurantId, endpoint: kind });
  }
  return taken.length;
}

async function watchOne(deps: WatchDeps, tx: Queryable, seen: WatchedEndpoint): Promise<WatchStep[]> {
  const endpoint = await findWatchedEndpointForUpdate(tx, seen);
  if (endpoint === undefined) return [];
  const now = deps.clock.now();
  const steps = decideWatchSteps(endpoint, now);
  // Never report a failure that the log contradicts; the next round uses the corrected state.
  const reportsFailure = steps.includes('notify_restaurant') || steps.includes('open_case');
  if (reportsFailure && (await correctHealthFromLog(tx, endpoint))) return [];
  const outageId = endpoint.outage?.id ?? deps.newId();
  const watch: Watch = { deps, tx, endpoint, outageId, now };
  for (const step of steps) await TAKE[step](watch);
  return steps;
}

interface Watch {
  deps: WatchDeps;
  tx: Queryable;
  endpoint: WatchedEndpoint;
  /** Of the open outage, or of the one that this round records. */
  outageId: string;
  now: Instant;
}

const TAKE: Record<WatchStep, (watch: Watch) => Promise<void>> = {
  forget_failing: ({ tx, endpoint }) => clearFailingSince(tx, endpoint),
  end_by_switching_off: (watch) => finishOutage(watch, 'switched_off'),
  notify_restaurant: notifyRestaurant,
  open_case: openCase,
  notify_recovery: notifyRecovery,
};

async function notifyRestaurant(watch: Watch): Promise<void> {
  const { tx, endpoint, outageId, now } = watch;
  const facts = await gatherFacts(watch);
  await insertOutage(tx, { ...endpoint, id: outageId, failingSince: facts.failingSince, notifiedAt: now });
  const recipients = await listContacts(watch);
  if (recipients.length > 0) await mailTo(watch, recipients, failingText(facts));
  else await mailTo(watch, await listOperatorRecipients(watch.deps, tx), noRecipientText(facts));
}

async function openCase(watch: Watch): Promise<void> {
  const { deps, tx, endpoint, outageId, now } = watch;
  const facts = await gatherFacts(watch);
  const caseId = deps.newId();
  const { failingSince } = facts;
  await insertSupportCase(tx, { ...endpoint, id: caseId, outageId, failingSince, openedAt: now });
  const { lastErrors } = facts;
  const text = caseOpenedText(facts, { caseId, contacts: await listContacts(watch), lastErrors });
  await mailTo(watch, await listOperatorRecipients(deps, tx), text);
}

async function notifyRecovery(watch: Watch): Promise<void> {
  const { deps, tx, endpoint, now } = watch;
  await finishOutage(watch, 'recovered');
  const facts: RecoveryFacts = {
    ...(await gatherFacts(watch)),
    recoveredAt: endpoint.lastSuccessAt ?? now,
    failsAgainSince: endpoint.failingSince,
  };
  await mailTo(watch, await listContacts(watch), recoveredText(facts));
  if (endpoint.outage?.hasCase !== true) return;
  await mailTo(watch, await listOperatorRecipients(deps, tx), caseClosedText(facts));
}

async function finishOutage({ tx, outageId, now }: Watch, ending: 'recovered' | 'switched_off'): Promise<void> {
  await endOutage(tx, outageId, { at: now, ending });
  await resolveCaseOfOutage(tx, outageId, { at: now, resolution: ending });
}

async function gatherFacts({ deps, tx, endpoint, now }: Watch): Promise<FailingFacts & EndpointTrouble> {
  const trouble = await readEndpointTrouble(tx, endpoint);
  const failingSince = endpoint.outage?.failingSince ?? endpoint.failingSince ?? now;
  return { ...endpoint, ...trouble, failingSince, now, publicUrl: deps.publicUrl };
}

/** The restaurant's contact address, or else its owners' addresses. */
async function listContacts({ tx, endpoint }: Watch): Promise<string[]> {
  if (endpoint.contactEmail !== null) return [endpoint.contactEmail];
  return listOwnerAddresses(tx, endpoint.restaurantId);
}

async function mailTo({ deps, tx, now }: Watch, recipients: readonly string[], mail: MailText): Promise<void> {
  for (const to of recipients) await enqueueMail(tx, deps.vault, { id: deps.newId(), to, ...mail, now });
}
