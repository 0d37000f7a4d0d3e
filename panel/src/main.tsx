import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { sessionQuery } from './api/people/session.ts';
import { paths } from './paths.ts';
import { createPanelRouter } from './router.ts';
import { followSystemTheme } from './ui/theme.ts';
import '@fontsource-variable/inter/wght.css';
import './styles.css';

const queryClient = createQueryClient(leaveForSignIn);
const router = createPanelRouter(queryClient);

// Loads the page's code in parallel with the session. Most users who open / end up on the board.
const firstPath = location.pathname === '/' ? paths.orders().to : location.pathname;
const [firstRoutes] = router.getMatchedRoutes(firstPath);
for (const route of firstRoutes) void router.loadRouteChunk(route);

// Keeps the current location, so that signing in leads back to it.
function leaveForSignIn(): void {
  const { pathname, href } = router.state.location;
  const known = queryClient.getQueryData(sessionQuery.queryKey);
  if (known === undefined || known.session === null || pathname === '/sign-in') return;
  queryClient.setQueryData(sessionQuery.queryKey, { ...known, session: null });
  void router.navigate({ to: '/sign-in', search: { from: href } });
}

followSystemTheme();

const element = document.getElementById('root');
if (element === null) throw new Error('index.html has no element for the panel');
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
