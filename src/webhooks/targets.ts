// Where each endpoint's webhooks go now, and with which secret. Kept in memory, dropped when a restaurant's settings
// change, and never older than a second, so that a lost notification cannot keep an old URL in use.
import type { EndpointKind } from '../domain/events.ts';
import type { Platform } from '../platform.ts';
import type { Database } from '../store/database.ts';
import { listEndpointTargets } from '../store/endpoints.ts';
import type { Vault } from '../vault.ts';

export interface Target {
  /** Null: hold what is for this endpoint. */
  url: string | null;
  secretId: string | null;
  secret: string | null;
  hasMetadata: boolean;
}

const MOST_AGE_MS = 1_000;

type Targets = Record<EndpointKind, Target>;

export class TargetBook {
  #deps: Pick<Platform, 'clock'> & { db: Database; vault: Vault };
  #known = new Map<string, { targets: Targets; readAtMs: number }>();
  #reading = new Map<string, Promise<Targets>>();
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
      reading = this.#readAndKeep(restaurantId);
      this.#reading.set(restaurantId, reading);
    }
    const targets = await reading;
    return targets[endpoint];
  }

  async #readAndKeep(restaurantId: string): Promise<Targets> {
    const token = Symbol(restaurantId);
    this.#tokens.set(restaurantId, token);
    const readAtMs = this.#deps.clock.monotonicMs();
    try {
      const targets = await this.#read(restaurantId);
      // Dropped meanwhile: what was read may be what was there before the change.
      if (this.#tokens.get(restaurantId) === token) this.#known.set(restaurantId, { targets, readAtMs });
      return targets;
    } finally {
      if (this.#tokens.get(restaurantId) === token) {
        this.#tokens.delete(restaurantId);
        this.#reading.delete(restaurantId);
      }
    }
  }

  async #read(restaurantId: string): Promise<Targets> {
    const rows = await listEndpointTargets(this.#deps.db, [restaurantId]);
    const targetOf = (kind: EndpointKind): Target => {
      const row = rows.find((candidate) => candidate.kind === kind);
      const isOpen = row !== undefined && row.integrationEnabled;
      return {
        url: isOpen ? row.url : null,
        secretId: row?.secretId ?? null,
        secret: row?.sealedSecret ? this.#deps.vault.open(row.sealedSecret) : null,
        hasMetadata: row?.deliveryMetadata ?? false,
      };
    };
    return { status: targetOf('status'), cancel: targetOf('cancel') };
  }
}
