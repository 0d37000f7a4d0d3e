// Where each endpoint's webhooks go now, and with which secret. Kept in memory, dropped when a restaurant's settings
// change, read anew with every claim, and never older than a second, so that neither a late notification nor a lost one
// keeps an old URL in use.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Platform } from '../../platform.ts';
import type { Database, Queryable } from '../../store/database/database.ts';
import { listEndpointTargets, openSecret, type EndpointTarget } from '../../store/webhooks/endpoints.ts';
import { VaultError, type Vault } from '../../secrets/vault.ts';

export interface Target {
  /** Null: hold what is for this endpoint. */
  url: string | null;
  secretId: string | null;
  secret: string | null;
  /** There is a secret, and it does not open: nothing may leave unsigned. */
  isSecretUnreadable: boolean;
  hasMetadata: boolean;
}

const MOST_AGE_MS = 1_000;
const MOST_OPENED_SECRETS = 10_000;
const NOWHERE: Target = { url: null, secretId: null, secret: null, isSecretUnreadable: false, hasMetadata: false };

type Targets = Record<EndpointKind, Target>;

export class TargetBook {
  #deps: Pick<Platform, 'clock'> & { db: Database; vault: Vault };
  #known = new Map<string, { targets: Targets; readAtMs: number }>();
  #reading = new Map<string, Promise<Targets | undefined>>();
  /** To be read next, together. */
  #wanted: string[] = [];
  #nextReading: Promise<Map<string, Targets>> | undefined;
  /** By id. A secret never changes, and is wanted with every claim. */
  #openedSecrets = new Map<string, string>();
  /** Which reading is the current one of a restaurant. */
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

  /** The hot path: no promise while the answer is known. */
  peek(restaurantId: string, endpoint: EndpointKind): Target | undefined {
    const known = this.#known.get(restaurantId);
    if (known === undefined || this.#deps.clock.monotonicMs() - known.readAtMs > MOST_AGE_MS) return undefined;
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

  /** What was registered when these were claimed is what they get, whether or not the change was heard of. */
  async refresh(db: Queryable, restaurantIds: Iterable<string>): Promise<void> {
    const ids = [...new Set(restaurantIds)];
    for (const id of ids) this.drop(id);
    await this.#readAndKeep(db, ids);
  }

  /** What is asked for in one moment is read at once: a commit of many orders has nearly as many endpoints. */
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
      // Dropped meanwhile: what was read may be what was there before the change.
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

  /** One that does not open is that endpoint's trouble alone: many restaurants are read by one statement. */
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
      if (this.#openedSecrets.size >= MOST_OPENED_SECRETS) this.#openedSecrets.clear();
      this.#openedSecrets.set(secretId, secret);
    }
    return secret;
  }
}
