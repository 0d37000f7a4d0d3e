// For use after a security incident or a restore.
import { revokeSince, type Revocation } from '../actions/upkeep/revoke-since.ts';
import { formatUtc } from '../domain/time.ts';
import type { ChangedAccess, ChangedCredential } from '../store/people/access-changes.ts';
import { defineCommand, flag, type Json, type JsonRecord } from './terminal/command.ts';
import { pastTime } from './terminal/inputs.ts';
import { doneLines } from './terminal/render.ts';

const LIMITS = [
  'After a restore, the database does not contain what was created, changed or revoked after the backup. A key that was',
  'revoked after the backup works again, and this command finds it only if it was created at or after the time that you',
  'give. Use an earlier time, or revoke the key with: key revoke, basic revoke',
];

const revoke = defineCommand({
  name: 'revoke',
  usage: '--since T [--dry-run]',
  summary:
    'Revoke all API keys, credentials, webhook secrets, sessions and links created or changed since a given time, and disable users added or changed since then.',
  input: { since: pastTime, dryRun: flag },
  run: (input, context) =>
    context.withSession(async (session) => {
      const since = input.since(session.clock.now());
      const found = await revokeSince(session, { since, isDryRun: input.dryRun, actor: context.actor });
      const value = { since: formatUtc(since), dryRun: input.dryRun, ...toValue(found) };
      return doneLines(describe(found, { since: formatUtc(since), isDryRun: input.dryRun }), value);
    }),
});

function toValue(found: Revocation): JsonRecord {
  const credential = ({ id, label, providerRestaurantId, createdAt }: ChangedCredential, name: string): Json => ({
    id,
    [name]: label,
    restaurantId: providerRestaurantId,
    createdAt: formatUtc(createdAt),
  });
  const access = ({ email, count }: ChangedAccess): Json => ({ email, count });
  return {
    apiKeys: found.apiKeys.map((key) => credential(key, 'prefix')),
    basicCredentials: found.basicCredentials.map((basic) => credential(basic, 'username')),
    webhookSecrets: found.webhookSecrets.map((secret) => credential(secret, 'state')),
    users: found.users.map(({ id, email, role, createdAt }) => ({ id, email, role, createdAt: formatUtc(createdAt) })),
    sessions: found.sessions.map(access),
    accountLinks: found.accountLinks.map(access),
    toReview: found.toReview.map(({ at, actor, clientAddress, action, providerRestaurantId }) => ({
      at: formatUtc(at),
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
  const by = (all: readonly ChangedAccess[]) => all.map(({ email, count }) => `${email}: ${count}`);
  const section = (title: string, lines: readonly string[]): string[] => [
    `${title}: ${lines.length === 0 ? 'none' : ''}`.trimEnd(),
    ...lines.map((line) => `  ${line}`),
  ];
  const headline = isDryRun
    ? `Dry run, nothing was changed. Created or changed since ${since}:`
    : `Revoked what was created or changed since ${since}:`;
  return [
    headline,
    ...section('API keys', of(found.apiKeys)),
    ...section('Basic credentials', of(found.basicCredentials)),
    ...section('Webhook secrets (webhooks are unsigned until you create a new one)', of(found.webhookSecrets)),
    ...section(
      'Users (disabled; an operator can enable them)',
      found.users.map(({ email, role }) => `${email} (${role})`),
    ),
    ...section('Sessions', by(found.sessions)),
    ...section('Invitation and password links', by(found.accountLinks)),
    ...section(
      'Not changed, review these yourself',
      found.toReview.map(
        ({ at, actor, clientAddress, action, providerRestaurantId }) =>
          `${formatUtc(at)} ${action} by ${actor}${clientAddress === null ? '' : ` from ${clientAddress}`}` +
          (providerRestaurantId === null ? '' : ` for ${providerRestaurantId}`),
      ),
    ),
    ...LIMITS,
  ];
}

export const revokeCommands = [revoke];
