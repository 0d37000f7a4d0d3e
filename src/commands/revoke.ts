// One command for the time after a break-in or a restore.
import { revokeSince, type Revocation } from '../actions/upkeep/revoke-since.ts';
import type { ChangedAccess, ChangedCredential } from '../store/people/access-changes.ts';
import { defineCommand, flag, type Json, type JsonRecord } from './terminal/command.ts';
import { pastTime } from './terminal/inputs.ts';
import { doneLines, toIso } from './terminal/render.ts';

const LIMITS = [
  'This finds only what the database holds. After a restore it does not hold what was created, changed or revoked after',
  'the backup. A key that was revoked after the backup works again, and is found only if it was created at or after the',
  'time you name: choose an earlier time, or revoke it by name with key revoke or basic revoke.',
];

const revoke = defineCommand({
  name: 'revoke',
  usage: '--since T [--dry-run]',
  summary:
    'Revoke every key, credential, webhook secret, session and link created or changed since a time, and disable such users.',
  input: { since: pastTime, dryRun: flag },
  run: (input, context) =>
    context.withSession(async (session) => {
      const since = input.since(session.clock.now());
      const found = await revokeSince(session, { since, isDryRun: input.dryRun, actor: context.actor });
      const value = { since: toIso(since), dryRun: input.dryRun, ...toValue(found) };
      return doneLines(describe(found, { since: toIso(since), isDryRun: input.dryRun }), value);
    }),
});

function toValue(found: Revocation): JsonRecord {
  const credential = ({ id, label, providerRestaurantId, createdAt }: ChangedCredential, name: string): Json => ({
    id,
    [name]: label,
    restaurantId: providerRestaurantId,
    createdAt: toIso(createdAt),
  });
  const access = ({ email, count }: ChangedAccess): Json => ({ email, count });
  return {
    apiKeys: found.apiKeys.map((key) => credential(key, 'prefix')),
    basicCredentials: found.basicCredentials.map((basic) => credential(basic, 'username')),
    webhookSecrets: found.webhookSecrets.map((secret) => credential(secret, 'state')),
    users: found.users.map(({ id, email, role, createdAt }) => ({ id, email, role, createdAt: toIso(createdAt) })),
    sessions: found.sessions.map(access),
    accountLinks: found.accountLinks.map(access),
    toReview: found.toReview.map(({ at, actor, clientAddress, action, providerRestaurantId }) => ({
      at: toIso(at),
      actor,
      clientAddress,
      action,
      restaurantId: providerRestaurantId,
    })),
  };
}

function describe(found: Revocation, { since, isDryRun }: { since: string; isDryRun: boolean }): string[] {
  const of = (credentials: readonly ChangedCredential[]) =>
    credentials.map(({ label, providerRestaurantId }) => `${label} of ${providerRestaurantId}`);
  const by = (all: readonly ChangedAccess[]) => all.map(({ email, count }) => `${count} of ${email}`);
  const section = (title: string, lines: readonly string[]): string[] => [
    `${title}: ${lines.length === 0 ? 'none' : ''}`.trimEnd(),
    ...lines.map((line) => `  ${line}`),
  ];
  const headline = isDryRun
    ? `Dry run: nothing was changed. Created or changed since ${since}:`
    : `Revoked what was created or changed since ${since}:`;
  return [
    headline,
    ...section('API keys', of(found.apiKeys)),
    ...section('Basic credentials', of(found.basicCredentials)),
    ...section('Webhook secrets (webhooks are unsigned until a new one is created)', of(found.webhookSecrets)),
    ...section(
      'Users (disabled; an operator can enable them)',
      found.users.map(({ email, role }) => `${email} (${role})`),
    ),
    ...section('Sessions', by(found.sessions)),
    ...section('Invitation and password links', by(found.accountLinks)),
    ...section(
      'Not changed, please review',
      found.toReview.map(
        ({ at, actor, clientAddress, action, providerRestaurantId }) =>
          `${toIso(at)} ${action} by ${actor}${clientAddress === null ? '' : ` from ${clientAddress}`}` +
          (providerRestaurantId === null ? '' : ` for ${providerRestaurantId}`),
      ),
    ),
    ...LIMITS,
  ];
}

export const revokeCommands = [revoke];
