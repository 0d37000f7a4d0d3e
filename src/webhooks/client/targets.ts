// Each endpoint's current URL and secret. Kept in memory, dropped when a restaurant's settings change, read again with
// every claim, and never older than a second, so that an old URL is not used for longer after a late or lost notification.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Platform } from '../../platform.ts';
import type { Database, Queryable } from '../../store/database/database.ts';
import { listEndpointTargets, openSecret, type EndpointTarget } from '../../store/webhooks/endpoints.ts';
import { VaultError, type Vault } from '../../secrets/vault.ts';

export interface Target {
  /** Null: hold the deliveries for this endpoint. */
  url: string | null;
  secretId: string | null;
  secret: string | null;
  /** The secret exists but cannot be decrypted. Nothing may be sent unsigned. */
  isSecretUnreadable: boolean;
  hasMetadata: boolean;
}

const MAX_AGE_MS = 1_000;
const MAX_OPENED_SECRETS = 10_000;
const NOWHERE: Target = { url: null, secretId: null, secret: null, isSecretUnreadable: false, hasMetadata: false };

type Targets = Record<EndpointKind, Target>;

export class TargetCache {
  #deps: Pick<Platform, 'clock'> & { db: Database; vault: Vault };
  #known = new Map<string, { targets: Targets; readAtMs: number }>();
  #reading = new Map<string, Promise<Targets | undefined>>();
  /** Restaurants for the next read, which reads them together. */
  #wanted: string[] = [];
  #nextReading: Promise<Map<string, Targets>> | undefined;
  /** By id. A secret never changes, and every claim needs it. */
  #openedSecrets = new Map<string, string>();
  /** Identifies the latest read of each restaurant. */
  #tokens = new Map<string, symbol>();

  constructor(deps: Pick<Platform, 'clock'> & { db: Database; vault: Vault }) {
    this.#deps = deps;
  }

  drop(restaurantId: string): void {
    this.#known.delete(restaurantId);
    this.#reading.delete(restaurantId);
    this.#tokens.delete(restaurantId);
  }

  dropAll(): void {
    this.#known.clear();
    this.#reading.clear();
    this.#tokens.clear();
  }

  /** The hot path: synchronous while the answer is cached. */
  peek(restaurantId: string, endpoint: EndpointKind): Target | undefined {
    const known = this.#known.get(restaurantId);
    if (known === undefined || this.#deps.clock.monotonicMs() - known.readAtMs > MAX_AGE_MS) return undefined;
    return known.targets[endpoint];
  }

  async find(restaurantId: string, endpoint: EndpointKind): Promise<Target> {
    const known = this.peek(restaurantId, endpoint);
    if (known !== undefined) return known;
    let reading = this.#reading.get(restaurantId);
    if (reading === undefined) {
      reading = this.#readSoon(restaurantId).then((read) => read.get(restaurantId));
      this.#reading.set(restaurantId, reading);
    }
    const targets = await reading;
    return targets?.[endpoint] ?? NOWHERE;
  }

  /** Claimed deliveries use the targets registered at the time of the claim, even if a change notification was lost. */
  async refresh(db: Queryable, restaurantIds: Iterable<string>): Promise<void> {
    const ids = [...new Set(restaurantIds)];
    for (const id of ids) this.drop(id);
    await this.#readAndKeep(db, ids);
  }

  /** Batches concurrent lookups into one read: a commit of many orders has nearly as many endpoints. */
  #readSoon(restaurantId: string): Promise<Map<string, Targets>> {
    this.#wanted.push(restaurantId);
    this.#nextReading ??= Promise.resolve().then(() => {
      this.#nextReading = undefined;
      return this.#readAndKeep(this.#deps.db, this.#wanted.splice(0));
    });
    return this.#nextReading;
  }

  async #readAndKeep(db: Queryable, restaurantIds: readonly string[]): Promise<Map<string, Targets>> {
    const token = Symbol('reading');
    for (const id of restaurantIds) this.#tokens.set(id, token);
    const readAtMs = this.#deps.clock.monotonicMs();
    const isCurrent = (id: string): boolean => this.#tokens.get(id) === token;
    try {
      const read = await this.#read(db, restaurantIds);
      // If the restaurant was dropped meanwhile, the result may predate the change.
      for (const [id, targets] of read) if (isCurrent(id)) this.#known.set(id, { targets, readAtMs });
      return read;
    } finally {
      for (const id of restaurantIds.filter(isCurrent)) {
        this.#tokens.delete(id);
        this.#reading.delete(id);
      }
    }
  }

  async #read(db: Queryable, restaurantIds: readonly string[]): Promise<Map<string, Targets>> {
    const all = new Map<string, Targets>();
    for (const row of await listEndpointTargets(db, restaurantIds)) {
      const targets = all.get(row.restaurantId) ?? { status: NOWHERE, cancel: NOWHERE };
      all.set(row.restaurantId, targets);
      targets[row.kind] = {
        url: row.integrationEnabled ? row.url : null,
        secretId: row.secretId,
        ...this.#secretOf(row),
        hasMetadata: row.deliveryMetadata,
      };
    }
    return all;
  }

  /** A secret that cannot be decrypted affects only its endpoint, because one statement reads many restaurants. */
  #secretOf(target: EndpointTarget): Pick<Target, 'secret' | 'isSecretUnreadable'> {
    try {
      return { secret: this.#openOnce(target), isSecretUnreadable: false };
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      return { secret: null, isSecretUnreadable: true };
    }
  }

  #openOnce(target: EndpointTarget): string | null {
    const { secretId } = target;
    if (secretId === null) return null;
    let secret = this.#openedSecrets.get(secretId) ?? null;
    if (secret === null) {
      secret = openSecret(this.#deps.vault, target);
      if (secret === null) return null;
      if (this.#openedSecrets.size >= MAX_OPENED_SECRETS) this.#openedSecrets.clear();
      this.#openedSecrets.set(secretId, secret);
    }
    return secret;
  }
}
