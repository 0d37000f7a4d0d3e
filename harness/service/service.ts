// A complete service in this process, on its own database, with the restaurants and couriers that a test adds.
import { randomBytes } from 'node:crypto';
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import { makeComingWeeks } from '../../src/actions/upkeep/keep-history.ts';
import { buildApp, type App, type AppSetup } from '../../src/app.ts';
import type { Config } from '../../src/settings/config.ts';
import { createDatabaseClock } from '../../src/runtime/database-clock.ts';
import { createPlatform, type Platform } from '../../src/platform.ts';
import { createTestDatabase } from './database.ts';
import { testConfig } from './test-config.ts';
import { getTestAuthority } from '../receivers/receiver.ts';
import { addTestRestaurant, type RestaurantOptions, type TestRestaurant } from './restaurant.ts';

export type { TestRestaurant } from './restaurant.ts';

export interface ServiceOptions {
  databaseUrl?: string;
  masterKey?: Buffer;
  platform?: Platform;
  roles?: Config['roles'];
  environment?: Config['environment'];
  parts?: AppSetup['parts'];
  /** Further settings. */
  config?: Partial<Config>;
}

export interface TestService {
  app: App;
  address: string;
  databaseUrl: string;
  masterKey: Buffer;
  addRestaurant(options?: RestaurantOptions): Promise<TestRestaurant>;
  /** The courier is on duty and available to every restaurant. */
  addCourier(name?: string): Promise<string>;
  post(restaurant: TestRestaurant, body: object, query?: string): Promise<Response>;
  get(restaurant: TestRestaurant, path: string): Promise<Response>;
  /** Stops the node and drops the database if startService created it. */
  stop(): Promise<void>;
}

export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const database = options.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const masterKey = options.masterKey ?? randomBytes(32);
  const authority = await getTestAuthority();
  const app = buildApp({
    config: testConfig({
      ...(options.roles && { roles: options.roles }),
      ...(options.environment && { environment: options.environment }),
      webhookCa: authority.certificatePem,
      ...options.config,
    }),
    databaseUrl,
    masterKey,
    platform: options.platform ?? createPlatform(undefined, createDatabaseClock()),
    ...(options.parts && { parts: options.parts }),
  });
  // The clock may be in another week than the one for which the database was prepared.
  await makeComingWeeks(app);
  const address = await app.start();
  return {
    app,
    address,
    databaseUrl,
    masterKey,
    addRestaurant: (restaurant) => addTestRestaurant(app, restaurant),
    addCourier: async (name = 'Ada') => {
      const added = await addCourier(app, {
        name,
        phone: null,
        latitude: null,
        longitude: null,
        restaurantId: null,
        onDuty: true,
        actor: { name: 'test' },
      });
      if (added.kind === 'refused') throw new Error(added.refusal.code);
      return added.courier.id;
    },
    post: (restaurant, body, query = '') =>
      fetch(`${address}/webhook/third-party/order${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': restaurant.apiKey },
        body: JSON.stringify({ restaurantId: restaurant.restaurantId, ...body }),
      }),
    get: (restaurant, path) =>
      fetch(`${address}/webhook/third-party/${path}`, { headers: { 'x-api-key': restaurant.apiKey } }),
    stop: async () => {
      await app.stop();
      await database?.drop();
    },
  };
}
