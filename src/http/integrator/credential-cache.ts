// Caches credentials in memory. Every entry is reread after three seconds, so a revoked key is refused everywhere in
// time even if the notification is lost. The notification only makes it immediate.
import { createGroup } from '../../store/database/group-commit.ts';
import type { Clock } from '../../platform.ts';
import {
  findCredentialByKeyHash,
  findCredentialByUsername,
  type Credential,
} from '../../store/restaurants/credentials.ts';
import type { Queryable } from '../../store/database/database.ts';
import { areCredentialsKnown, type CredentialName } from '../../store/restaurants/known-credentials.ts';

export interface CredentialCache {
  find(name: CredentialName): Promise<Credential | undefined>;
  /** Call when something about this restaurant or its credentials has changed. */
  dropRestaurant(restaurantId: string): void;
  /** Call when notifications may have been missed. */
  dropAll(): void;
}

interface Deps {
  db: Queryable;
  clock: Clock;
}

interface Entry {
  credential: Credential;
  freshUntilMs: number;
}

const FRESH_MS = 3_000;
const MAX_KNOWN = 20_000;
const MAX_UNKNOWN = 10_000;
const MAX_NAMES_PER_STATEMENT = 500;

export function createCredentialCache(deps: Deps): CredentialCache {
  return new Cache(deps);
}

class Cache implements CredentialCache {
  readonly #deps: Deps;
  readonly #known = new Map<string, Entry>();
  // Separate from the known ones, so that a flood of guesses can't evict those.
  readonly #unknownUntilMs = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<Credential | undefined>>();
  readonly #isKnown: (name: CredentialName) => Promise<boolean>;
  // Incremented by each drop: the result of a lookup started before it may be stale and is not cached.
  #generation = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#isKnown = createGroup({
      maxSize: MAX_NAMES_PER_STATEMENT,
      concurrency: 1,
      run: (names) => areCredentialsKnown(deps.db, names),
    });
  }

  find(name: CredentialName): Promise<Credential | undefined> {
    const key = name.kind === 'api_key' ? name.keyHash : `${name.kind} ${name.username}`;
    const nowMs = this.#deps.clock.monotonicMs();
    const entry = this.#known.get(key);
    if (entry !== undefined && entry.freshUntilMs > nowMs) return Promise.resolve(entry.credential);
    if ((this.#unknownUntilMs.get(key) ?? 0) > nowMs) return Promise.resolve(undefined);
    return this.#underWay.get(key) ?? this.#load(key, name);
  }

  dropRestaurant(restaurantId: string): void {
    this.#generation += 1;
    this.#underWay.clear();
    // The change may be a new key that is still cached as unknown.
    this.#unknownUntilMs.clear();
    for (const [key, entry] of this.#known) {
      if (entry.credential.restaurant.id === restaurantId) this.#known.delete(key);
    }
  }

  dropAll(): void {
    this.#generation += 1;
    this.#underWay.clear();
    this.#unknownUntilMs.clear();
    this.#known.clear();
  }

  #load(key: string, name: CredentialName): Promise<Credential | undefined> {
    const generation = this.#generation;
    const freshUntilMs = this.#deps.clock.monotonicMs() + FRESH_MS;
    const loading = this.#read(key, name)
      .then((credential) => {
        if (generation === this.#generation) this.#keep(key, credential, freshUntilMs);
        return credential;
      })
      .finally(() => {
        if (this.#underWay.get(key) === loading) this.#underWay.delete(key);
      });
    this.#underWay.set(key, loading);
    return loading;
  }

  // A known credential is simply reread. Anything else is first looked up in a batch with all others that wait: a
  // thousand guesses a second cost only a few statements, and a legitimate caller among them is still served.
  async #read(key: string, name: CredentialName): Promise<Credential | undefined> {
    const { db } = this.#deps;
    if (!this.#known.has(key) && !(await this.#isKnown(name))) return undefined;
    return name.kind === 'api_key'
      ? findCredentialByKeyHash(db, Buffer.from(name.keyHash, 'hex'))
      : findCredentialByUsername(db, name.username);
  }

  #keep(key: string, credential: Credential | undefined, freshUntilMs: number): void {
    // Deleted first, so that the oldest entry is always the first one.
    this.#known.delete(key);
    this.#unknownUntilMs.delete(key);
    if (credential === undefined) {
      makeRoom(this.#unknownUntilMs, MAX_UNKNOWN);
      this.#unknownUntilMs.set(key, freshUntilMs);
    } else {
      makeRoom(this.#known, MAX_KNOWN);
      this.#known.set(key, { credential, freshUntilMs });
    }
  }
}

function makeRoom(map: Map<string, unknown>, most: number): void {
  if (map.size < most) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
