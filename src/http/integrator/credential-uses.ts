// Records when each credential was last used. Written every few seconds, never while a request waits for it.
import type { Clock, Log } from '../../platform.ts';
import { touchCredentials, type Credential } from '../../store/restaurants/credentials.ts';
import type { Queryable } from '../../store/database/database.ts';

export interface CredentialUses {
  note(credential: Credential): void;
  flush(): Promise<void>;
}

type Use = Parameters<typeof touchCredentials>[1][number];

export function createCredentialUses(deps: { db: Queryable; clock: Clock; log: Log }): CredentialUses {
  let uses = new Map<string, Use>();
  return {
    note({ id, kind }) {
      const use = uses.get(id);
      const at = deps.clock.now();
      if (use === undefined) uses.set(id, { id, kind, at });
      else use.at = at;
    },
    async flush() {
      if (uses.size === 0) return;
      const batch = [...uses.values()];
      uses = new Map();
      try {
        await touchCredentials(deps.db, batch);
      } catch (error) {
        // Only times of last use are lost; the next use records one again.
        deps.log.warn({ event: 'credential.uses_lost', count: batch.length, err: error });
      }
    },
  };
}
