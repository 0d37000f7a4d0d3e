// The demo's restaurant and everything that belongs to it. Each part is created only if it does not exist, so the next
// start completes a setup that was killed halfway.
import { addRestaurant } from '../actions/restaurants/add-restaurant.ts';
import { addUser } from '../actions/people/add-user.ts';
import type { AdministrationDeps } from '../actions/administration.ts';
import type { Refused } from '../domain/refusals.ts';
import { changeRestaurant } from '../actions/restaurants/change-restaurant.ts';
import { createApiKey } from '../actions/restaurants/create-api-key.ts';
import { createBasicCredential } from '../actions/restaurants/create-basic-credential.ts';
import { createWebhookSecret } from '../actions/webhooks/create-webhook-secret.ts';
import { resetUserPassword } from '../actions/people/reset-user-password.ts';
import { setWebhookUrls } from '../actions/webhooks/set-webhook-urls.ts';
import { findCredentialByKeyHash, findCredentialByUsername } from '../store/restaurants/credentials.ts';
import { listEndpointTargets, openSecret } from '../store/webhooks/endpoints.ts';
import { findRestaurantByProviderId, type RestaurantProfile } from '../store/restaurants/restaurants.ts';
import { insertMissingCouriers } from '../store/robots/orders.ts';
import { listUsers } from '../store/people/users.ts';
import type { DemoFile, DemoMemory } from './demo-file.ts';

export const DEMO_RESTAURANT_ID = 'demo-moda';
const BY = { restaurantId: DEMO_RESTAURANT_ID, actor: { name: 'demo' } };

/** Where the demo's receiver takes webhooks. The demo recognizes its own URLs by this path. */
const RECEIVER_PATH = '/waybill-demo/';

// Kadıköy, on the Asian shore of Istanbul.
const PLACE = { latitude: 40.9836, longitude: 29.0262 };

const COURIERS = [
  { id: '0198de30-0000-7000-8000-000000000001', name: 'Deniz', latitude: 40.9862, longitude: 29.0281 },
  { id: '0198de30-0000-7000-8000-000000000002', name: 'Elif', latitude: 40.9809, longitude: 29.0247 },
  { id: '0198de30-0000-7000-8000-000000000003', name: 'Mert', latitude: 40.9885, longitude: 29.0313 },
];

export interface DemoCredentials {
  apiKey: string;
  basic: { username: string; password: string };
  webhookSecret: string | null;
  logins: { role: 'restaurant' | 'operator'; email: string; password: string }[];
}

export interface DemoSetup {
  restaurant: RestaurantProfile;
  credentials: DemoCredentials;
  /** Webhook URLs that someone has changed to something other than the demo's receiver. */
  otherReceivers: string[];
}

type Deps = AdministrationDeps & { config: { environment: 'live' | 'test' } };

export async function setUpDemo(deps: Deps, file: DemoFile, receiverOrigin: string): Promise<DemoSetup> {
  const restaurant = await obtainRestaurant(deps);
  const createdAt = deps.clock.now();
  await insertMissingCouriers(
    deps.db,
    COURIERS.map((courier) => ({ ...courier, phone: null, onDuty: true, restaurantId: restaurant.id, createdAt })),
  );
  const apiKey = await obtainApiKey(deps, file, restaurant);
  const basic = await obtainBasic(deps, file, restaurant);
  const webhookSecret = await obtainSecret(deps, restaurant);
  const otherReceivers = await pointToReceiver(deps, restaurant, receiverOrigin);
  const logins = [
    await obtainLogin(deps, file, { role: 'restaurant', restaurantId: restaurant.id }),
    await obtainLogin(deps, file, { role: 'operator', restaurantId: null }),
  ];
  return { restaurant, otherReceivers, credentials: { apiKey, basic, webhookSecret, logins } };
}

/** The secret that currently signs; null if someone has removed it. */
export async function findSigningSecret(deps: Deps, restaurant: RestaurantProfile): Promise<string | null> {
  const [target] = await listEndpointTargets(deps.db, [restaurant.id]);
  return target === undefined ? null : openSecret(deps.vault, target);
}

async function obtainRestaurant(deps: Deps): Promise<RestaurantProfile> {
  const known = await findRestaurantByProviderId(deps.db, DEMO_RESTAURANT_ID);
  // The robots prepare food within seconds. With the usual 15 minutes, the planner would not make any offer.
  const preparationMinutes = 0;
  if (known?.preparationMinutes === preparationMinutes) return known;
  if (known !== undefined) {
    return unlessRefused(
      await changeRestaurant(deps, { actor: BY.actor, restaurantId: known.id, settings: { preparationMinutes } }),
    ).restaurant;
  }
  const settings = {
    name: 'Moda Ocakbaşı',
    timeZone: 'Europe/Istanbul',
    autoApprove: true,
    preparationMinutes,
    ...PLACE,
  };
  return unlessRefused(await addRestaurant(deps, { ...BY, settings })).restaurant;
}

async function obtainApiKey(deps: Deps, file: DemoFile, restaurant: RestaurantProfile): Promise<string> {
  const { environment } = deps.config;
  const { apiKey } = file.memory;
  if (apiKey !== undefined) {
    const known = await findCredentialByKeyHash(deps.db, deps.vault.credentialHash(apiKey));
    const isGood = known?.restaurant.id === restaurant.id && known.environment === environment;
    if (isGood && known.expiresAt === null) return apiKey;
  }
  const created = unlessRefused(await createApiKey(deps, { ...ownOf(restaurant), environment, lifetimeMs: null }));
  await file.remember({ apiKey: created.apiKey });
  return created.apiKey;
}

async function obtainBasic(
  deps: Deps,
  file: DemoFile,
  restaurant: RestaurantProfile,
): Promise<{ username: string; password: string }> {
  const { basic } = file.memory;
  if (basic !== undefined) {
    const known = await findCredentialByUsername(deps.db, basic.username);
    const hash = deps.vault.credentialHash(basic.password);
    if (known?.restaurant.id === restaurant.id && known.passwordHash?.equals(hash) === true) return basic;
  }
  const { username, password } = unlessRefused(await createBasicCredential(deps, ownOf(restaurant)));
  await file.remember({ basic: { username, password } });
  return { username, password };
}

// The secret can be read from the database, so the file need not keep it.
async function obtainSecret(deps: Deps, restaurant: RestaurantProfile): Promise<string | null> {
  const known = await findSigningSecret(deps, restaurant);
  if (known !== null) return known;
  return unlessRefused(await createWebhookSecret(deps, ownOf(restaurant))).secret;
}

/** Registers the receiver where the URL is missing or from an earlier start. Returns the URLs it did not change. */
async function pointToReceiver(deps: Deps, restaurant: RestaurantProfile, receiverOrigin: string): Promise<string[]> {
  const targets = await listEndpointTargets(deps.db, [restaurant.id]);
  const own = targets.filter((target) => target.url === null || isReceiverUrl(target.url));
  const urls = Object.fromEntries(own.map(({ kind }) => [kind, `${receiverOrigin}${RECEIVER_PATH}${kind}`]));
  unlessRefused(await setWebhookUrls(deps, { ...ownOf(restaurant), urls }));
  return targets.filter((target) => !own.includes(target)).map((target) => target.url ?? '');
}

// The port changes if another program uses it; the path never changes.
function isReceiverUrl(url: string): boolean {
  const { hostname, pathname } = new URL(url);
  return hostname === 'localhost' && pathname.startsWith(RECEIVER_PATH);
}

async function obtainLogin(
  deps: Deps,
  file: DemoFile,
  { role, restaurantId }: { role: 'restaurant' | 'operator'; restaurantId: string | null },
): Promise<DemoCredentials['logins'][number]> {
  const email = `${role}@demo.example`;
  const known = file.memory.logins[role];
  const users = await listUsers(deps.db);
  if (known !== undefined && users.some((user) => user.email === known.email)) return { role, ...known };
  const userRole = role === 'restaurant' ? 'owner' : role;
  const added = await addUser(deps, { email, role: userRole, restaurantId, actor: BY.actor });
  // If the account exists, its password was lost with the file or with a process that was killed before writing it.
  const userId = users.find((user) => user.email === email)?.id ?? '';
  const { password } =
    added.kind === 'added'
      ? added
      : unlessRefused(await resetUserPassword(deps, { userId, scope: 'everything', actor: BY.actor }));
  const logins: DemoMemory['logins'] = { ...file.memory.logins, [role]: { email, password } };
  await file.remember({ logins });
  return { role, email, password };
}

function ownOf(restaurant: RestaurantProfile) {
  return { restaurantId: restaurant.id, actor: BY.actor };
}

function unlessRefused<Result extends { kind: string }>(result: Result | Refused): Result {
  if (isRefused(result)) throw new Error(`the demo was refused: ${result.refusal.code}`);
  return result;
}

function isRefused(result: { kind: string }): result is Refused {
  return result.kind === 'refused';
}
