// Who is signed in.
import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { use } from 'react';
import { sessionAnswer, type SessionAnswer, type SessionView } from '../../../../src/contract/panel/people/session.ts';
import { api, nothing } from '../client.ts';

export type Session = SessionView & Pick<SessionAnswer, 'environment'>;
export type PanelRole = SessionView['role'];

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => api.get('/api/session', sessionAnswer, { signal }),
  staleTime: Infinity,
  // Without a connection the service worker of the courier's page answers.
  networkMode: 'always',
});

// When a session ends, its pages are still there for a moment: they wait to be left.
const LEAVING = new Promise<never>(() => undefined);

/** Only on pages behind the sign-in. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  const session = data.session ?? use(LEAVING);
  return { ...session, environment: data.environment };
}

/** For whenever somebody else looks at the panel: what was cached belonged to whoever was signed in before. */
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
  const startAfresh = useFreshStart();
  return useMutation({ mutationFn: () => api.delete('/api/session', nothing), onSuccess: startAfresh });
}

export function useStopImpersonating() {
  const startAfresh = useFreshStart();
  const router = useRouter();
  return useMutation({
    mutationFn: () => api.delete('/api/session/impersonation', nothing),
    onSuccess: async () => {
      await startAfresh();
      // The restaurant's page that was open is closed to an operator.
      await router.navigate({ to: '/' });
    },
  });
}
