import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLogin, signInAs } from '../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { changeUserRole } from '../people/change-user-role.ts';
import { createApiKey } from '../restaurants/create-api-key.ts';
import { createWebhookSecret } from '../webhooks/create-webhook-secret.ts';
import { resetUserPassword } from '../people/reset-user-password.ts';
import { revokeSince } from './revoke-since.ts';
import { setWebhookUrls } from '../webhooks/set-webhook-urls.ts';

let service: TestService;
let restaurant: TestRestaurant;
beforeAll(async () => {
  service = await startService({ roles: ['api'] });
  restaurant = await service.addRestaurant({});
});
afterAll(() => service.stop());

/** Backdates everything that exists, so that only what a test changes is new. */
async function ageEverything(): Promise<number> {
  const { db, clock } = service.app;
  for (const statement of [
    `update api_keys set created_at = created_at - interval '1 day'`,
    `update webhook_secrets set created_at = created_at - interval '1 day', activated_at = activated_at - interval '1 day'`,
    `update users set created_at = created_at - interval '1 day', updated_at = updated_at - interval '1 day'`,
    `update user_passwords set created_at = created_at - interval '1 day', updated_at = updated_at - interval '1 day'`,
    `update sessions set created_at = created_at - interval '1 day', updated_at = updated_at - interval '1 day'`,
    `update audit_entries set at = at - interval '1 day'`,
  ]) {
    await db.query(statement);
  }
  return clock.now() - 3_600_000;
}

test('changed users are disabled, and unchanged users stay signed in', async () => {
  const [withNewRole, withNewPassword, unchanged] = [
    await addLogin(service, 'owner', { restaurant }),
    await addLogin(service, 'staff', { restaurant }),
    await signInAs(service, 'owner', { restaurant }),
  ];
  const since = await ageEverything();
  const by = { actor: { name: 'test' } };
  const { app } = service;
  await changeUserRole(app, { ...by, scope: 'everything', userId: withNewRole.userId, role: 'staff' });
  await resetUserPassword(app, { ...by, scope: 'everything', userId: withNewPassword.userId, endsTwoFactor: false });
  const found = await revokeSince(app, { ...by, since, isDryRun: false });
  expect(found.users.map(({ email }) => email).toSorted()).toEqual(
    [withNewRole.email, withNewPassword.email].toSorted(),
  );
  expect((await unchanged.get('/api/account')).status).not.toBe(401);
  const disabled = await app.db.query<{ email: string }>('select email from users where disabled_at is not null');
  expect(disabled).toHaveLength(2);
});

test('new webhook secrets and links are deleted, old keys stay, and changed URLs are listed for review', async () => {
  const by = { restaurantId: restaurant.id, actor: { name: 'test' } };
  const { app } = service;
  const old = await createApiKey(app, { ...by, environment: 'live', lifetimeMs: null });
  const invited = await addLogin(service, 'staff', { restaurant });
  const since = await ageEverything();
  const secret = await createWebhookSecret(app, by);
  if (secret.kind === 'refused' || old.kind === 'refused') throw new Error('refused');
  await setWebhookUrls(app, { ...by, urls: { status: 'https://example.com/hook' } });
  await app.db.query(
    `insert into account_links (token_hash, user_id, purpose, created_at, expires_at)
     values ('\\x01', $1, 'reset', now(), now() + interval '1 hour')`,
    [invited.userId],
  );
  const found = await revokeSince(app, { since, isDryRun: false, actor: { name: 'test' } });
  expect(found.webhookSecrets.map(({ id }) => id)).toContain(secret.secretId);
  expect(found.accountLinks).toMatchObject([{ email: invited.email, count: 1 }]);
  expect(found.apiKeys).toEqual([]);
  expect(found.toReview.map(({ action }) => action)).toContain('webhook_url.set');
  expect(await app.db.query('select from account_links')).toHaveLength(0);
  expect(await app.db.query('select from webhook_secrets where id = $1', [secret.secretId])).toHaveLength(0);
  expect((await service.get({ ...restaurant, apiKey: old.apiKey }, 'events')).status).toBe(200);
});

test('a dry run changes nothing', async () => {
  const by = { restaurantId: restaurant.id, actor: { name: 'test' } };
  const since = await ageEverything();
  await createApiKey(service.app, { ...by, environment: 'live', lifetimeMs: null });
  const run = () => revokeSince(service.app, { since, isDryRun: true, actor: { name: 'test' } });
  const first = await run();
  expect(first.apiKeys).toHaveLength(1);
  expect(await run()).toEqual(first);
  expect(
    await service.app.db.query(`select from audit_entries where detail ? 'revokedSince' and at >= $1`, [
      new Date(since).toISOString(),
    ]),
  ).toEqual([]);
});
