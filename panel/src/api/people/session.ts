// The current session.
import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { use } from 'react';
import {
  impersonationApi,
  sessionApi,
  type SessionAnswer,
  type SessionView,
} from '../../../../src/contract/panel/people/session.ts';
import { api } from '../client.ts';

export type Session = SessionView & Pick<SessionAnswer, 'environment'>;
export type PanelRole = SessionView['role'];

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => api.call(sessionApi.read, { signal }),
  staleTime: Infinity,
  // Offline, the courier page's service worker answers.
  networkMode: 'always',
});

// After sign-out, the old pages stay mounted for a moment: they suspend until they are left.
const LEAVING = new Promise<never>(() => undefined);

/** Only on pages that require a session. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  const session = data.session ?? use(LEAVING);
  return { ...session, environment: data.environment };
}

/** Call when the user changes: the cache holds the previous user's data. */
export function useFreshStart(): () => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== 'session' });
    await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey });
    await router.invalidate();
  };
}

export function useSignOut() {
  const resetSession = useFreshStart();
  return useMutation({ mutationFn: () => api.call(sessionApi.signOut), onSuccess: resetSession });
}

export function useStopImpersonating() {
  const resetSession = useFreshStart();
  const router = useRouter();
  return useMutation({
    mutationFn: () => api.call(impersonationApi.end),
    onSuccess: async () => {
      await resetSession();
      // An operator has no access to the restaurant page that was open.
      await router.navigate({ to: '/' });
    },
  });
}
