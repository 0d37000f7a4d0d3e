// API keys and Basic credentials.
import { createApiKey } from '../actions/restaurants/create-api-key.ts';
import { createBasicCredential } from '../actions/restaurants/create-basic-credential.ts';
import { revokeApiKey } from '../actions/restaurants/revoke-api-key.ts';
import { revokeBasicCredential } from '../actions/restaurants/revoke-basic-credential.ts';
import { formatUtc } from '../domain/time.ts';
import { listApiKeys, listBasicCredentials } from '../store/restaurants/credential-lists.ts';
import { z } from 'zod';
import { findNamedCredential, findNamedKey, findNamedRestaurant, type ApiKeyName } from './lookup.ts';
import { failed } from './refusals.ts';
import { defineCommand } from './terminal/command.ts';
import { lifetime, text } from './terminal/inputs.ts';
import { done, doneList } from './terminal/render.ts';

const SEEN_ONCE = 'It is only shown once.';

const keyCreate = defineCommand({
  name: 'key create',
  usage: '--restaurant R [--expires 90d] [--environment live|test]',
  summary:
    'Create an API key. --expires is a duration such as 12h or 30d, or never. By default, the environment comes from the settings.',
  input: {
    restaurant: text,
    expires: lifetime.prefault('90d'),
    environment: z.enum(['live', 'test'], 'must be live or test').optional(),
  },
  run: (input, context) =>
    context.withSession(async (session) => {
      const restaurant = await findNamedRestaurant(session.db, input.restaurant);
      if (restaurant.kind === 'failed') return restaurant;
      const result = await createApiKey(session, {
        restaurantId: restaurant.found.id,
        environment: input.environment ?? context.config.environment,
        lifetimeMs: input.expires,
        actor: context.actor,
      });
      if (result.kind === 'refused') return failed(result);
      const { apiKey, keyId, prefix, expiresAt } = result;
      return done(`API key created. ${SEEN_ONCE}`, { apiKey, keyId, prefix, expiresAt: formatUtc(expiresAt) });
    }),
});

const keyRevoke = defineCommand({
  name: 'key revoke',
  usage: '<keyId> | --restaurant R --prefix P',
  summary: 'Revoke an API key. All nodes refuse it within seconds.',
  input: { keyId: text.optional(), restaurant: text.optional(), prefix: text.optional() },
  positionals: ['keyId'],
  run: async (input, context) => {
    const key = nameKey(input);
    if (key === undefined) return { kind: 'misused', message: 'Give either the key id, or --restaurant and --prefix.' };
    return context.withSession(async (session) => {
      const named = await findNamedKey(session.db, key);
      if (named.kind === 'failed') return named;
      const result = await revokeApiKey(session, { keyId: named.found.id, scope: 'everything', actor: context.actor });
      if (result.kind === 'refused') return failed(result);
      const { keyId, prefix } = result;
      const headline = result.kind === 'revoked' ? 'API key revoked.' : 'The API key was already revoked.';
      return done(headline, { keyId, prefix, revoked: true });
    });
  },
});

function nameKey(input: {
  keyId?: string | undefined;
  restaurant?: string | undefined;
  prefix?: string | undefined;
}): ApiKeyName | undefined {
  const { keyId, restaurant, prefix } = input;
  if (keyId !== undefined) return restaurant === undefined && prefix === undefined ? { keyId } : undefined;
  return restaurant === undefined || prefix === undefined ? undefined : { restaurantId: restaurant, prefix };
}

const keyList = defineCommand({
  name: 'key list',
  usage: '--restaurant R',
  summary: 'List the API keys of a restaurant.',
  input: { restaurant: text },
  run: (input, context) =>
    context.withSession(async (session) => {
      const restaurant = await findNamedRestaurant(session.db, input.restaurant);
      if (restaurant.kind === 'failed') return restaurant;
      const keys = await listApiKeys(session.db, restaurant.found.id);
      return doneList(
        'keys',
        keys.map((key) => ({
          keyId: key.id,
          prefix: key.prefix,
          environment: key.environment,
          createdAt: formatUtc(key.createdAt),
          expiresAt: formatUtc(key.expiresAt),
          revokedAt: formatUtc(key.revokedAt),
          lastUsedAt: formatUtc(key.lastUsedAt),
        })),
      );
    }),
});

const basicCreate = defineCommand({
  name: 'basic create',
  usage: '--restaurant R',
  summary: 'Create a username and password for HTTP Basic authentication.',
  input: { restaurant: text },
  run: (input, context) =>
    context.withSession(async (session) => {
      const restaurant = await findNamedRestaurant(session.db, input.restaurant);
      if (restaurant.kind === 'failed') return restaurant;
      const { id: restaurantId } = restaurant.found;
      const result = await createBasicCredential(session, { restaurantId, actor: context.actor });
      if (result.kind === 'refused') return failed(result);
      const { username, password, credentialId } = result;
      return done(`Basic credential created. ${SEEN_ONCE}`, { username, password, credentialId });
    }),
});

const basicRevoke = defineCommand({
  name: 'basic revoke',
  usage: '--restaurant R --username U',
  summary: 'Revoke a Basic credential. All nodes refuse it within seconds.',
  input: { restaurant: text, username: text },
  run: (input, context) =>
    context.withSession(async (session) => {
      const { restaurant: restaurantId, username } = input;
      const named = await findNamedCredential(session.db, { restaurantId, username });
      if (named.kind === 'failed') return named;
      const request = { credentialId: named.found.id, scope: 'everything', actor: context.actor } as const;
      const result = await revokeBasicCredential(session, request);
      if (result.kind === 'refused') return failed(result);
      const headline =
        result.kind === 'revoked' ? 'Basic credential revoked.' : 'The Basic credential was already revoked.';
      return done(headline, { username, revoked: true });
    }),
});

const basicList = defineCommand({
  name: 'basic list',
  usage: '--restaurant R',
  summary: 'List the Basic credentials of a restaurant.',
  input: { restaurant: text },
  run: (input, context) =>
    context.withSession(async (session) => {
      const restaurant = await findNamedRestaurant(session.db, input.restaurant);
      if (restaurant.kind === 'failed') return restaurant;
      const credentials = await listBasicCredentials(session.db, restaurant.found.id);
      return doneList(
        'credentials',
        credentials.map((credential) => ({
          username: credential.username,
          credentialId: credential.id,
          createdAt: formatUtc(credential.createdAt),
          revokedAt: formatUtc(credential.revokedAt),
          lastUsedAt: formatUtc(credential.lastUsedAt),
        })),
      );
    }),
});

export const credentialCommands = [keyCreate, keyRevoke, keyList, basicCreate, basicRevoke, basicList];
