import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { RefusalCode } from '../../../src/domain/refusals.ts';
import { ApiError } from './api-error.ts';

const RETRIES = 2;
// Not every 401: a wrong password is one too.
const SIGNED_OUT = 'AUTH_020' satisfies RefusalCode;

/** `onSignedOut` runs when any call is told that nobody is signed in: the session is over, wherever the user is. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const watch = (error: Error): void => {
    if (error instanceof ApiError && error.code === SIGNED_OUT) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError: watch }),
    mutationCache: new MutationCache({ onError: watch }),
    defaultOptions: {
      queries: {
        // The live stream says what is stale; the time is for what it does not cover.
        staleTime: 15_000,
        retry: (count, error) => count < RETRIES && isWorthRepeating(error),
      },
      mutations: { retry: false },
    },
  });
}

function isWorthRepeating(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500) && error.code !== 'PANEL';
}
