import {
  MutationCache,
  QueryCache,
  QueryClient,
  type InvalidateOptions,
  type InvalidateQueryFilters,
} from '@tanstack/react-query';
import type { RefusalCode } from '../../../src/domain/refusals.ts';
import { ApiError } from './api-error.ts';

const RETRIES = 2;
// Not every 401: a wrong password also returns 401.
const SIGNED_OUT = 'AUTH_020' satisfies RefusalCode;
/** Rejected before any effect, so changes are safe to retry too; a second is usually enough. */
const TOO_MANY = 'RATE_002' satisfies RefusalCode;

/**
 * A response in flight when something changes may predate the change. The library cancels and restarts such reads,
 * except first reads and those with `cancelRefetch: false`: these are refetched once they have ended.
 */
class PanelQueryClient extends QueryClient {
  override async invalidateQueries(
    filters: InvalidateQueryFilters = {},
    options: InvalidateOptions = {},
  ): Promise<void> {
    const thoseLeftAlone = options.cancelRefetch === false ? {} : { status: 'pending' as const };
    const underWay = this.getQueryCache().findAll({ ...filters, ...thoseLeftAlone, fetchStatus: 'fetching' });
    const again = underWay.map(async (query) => {
      await query.promise?.catch(() => undefined);
      // Concurrent callers share this refetch: it starts late enough for all of them.
      await super.invalidateQueries({ predicate: (other) => other === query }, { cancelRefetch: false });
    });
    await Promise.all([super.invalidateQueries(filters, options), ...again]);
  }
}

/** `onSignedOut` runs when any call finds the session over, whichever page is open. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const watch = (error: Error): void => {
    if (error instanceof ApiError && error.code === SIGNED_OUT) onSignedOut();
  };
  return new PanelQueryClient({
    queryCache: new QueryCache({ onError: watch }),
    mutationCache: new MutationCache({ onError: watch }),
    defaultOptions: {
      queries: {
        // The live stream invalidates stale data; this covers the rest.
        staleTime: 15_000,
        retry: (count, error) => count < RETRIES && isWorthRepeating(error),
      },
      mutations: { retry: (count, error) => count < RETRIES && isTooMany(error) },
    },
  });
}

function isWorthRepeating(error: Error): boolean {
  if (isTooMany(error)) return true;
  return error instanceof ApiError && (error.status === 0 || error.status >= 500) && error.code !== 'PANEL';
}

function isTooMany(error: Error): boolean {
  return error instanceof ApiError && error.code === TOO_MANY;
}
