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
// Not every 401: a wrong password is one too.
const SIGNED_OUT = 'AUTH_020' satisfies RefusalCode;
/** Refused before anything was done, so that changes may be repeated too; a second is usually enough. */
const TOO_MANY = 'RATE_002' satisfies RefusalCode;

/**
 * An answer that is on its way when something changes may be from before the change. The library cancels such a read
 * and begins anew, but leaves alone what is read for the first time, or was asked not to be canceled: those are read
 * once more when they have ended.
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
      // Whoever else waited for that read finds this one under way, and it is late enough for all of them.
      await super.invalidateQueries({ predicate: (other) => other === query }, { cancelRefetch: false });
    });
    await Promise.all([super.invalidateQueries(filters, options), ...again]);
  }
}

/** `onSignedOut` runs when any call is told that nobody is signed in: the session is over, wherever the user is. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const watch = (error: Error): void => {
    if (error instanceof ApiError && error.code === SIGNED_OUT) onSignedOut();
  };
  return new PanelQueryClient({
    queryCache: new QueryCache({ onError: watch }),
    mutationCache: new MutationCache({ onError: watch }),
    defaultOptions: {
      queries: {
        // The live stream says what is stale; the time is for what it does not cover.
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
