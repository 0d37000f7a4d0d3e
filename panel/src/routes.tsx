// All routes of the panel. Each page's code is loaded when it is first opened.
import { createRootRouteWithContext, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import type { SessionView } from '../../src/contract/panel/people/session.ts';
import { isRestaurantRole } from '../../src/domain/people/roles.ts';
import { sessionQuery, type PanelRole } from './api/people/session.ts';
import { PageNotFound } from './shell/page-not-found.tsx';
import { Root } from './shell/root.tsx';

interface RouterContext {
  queryClient: QueryClient;
}

/** Search parameters may be mistyped, so any text is accepted and each page validates its own. */
const text = z.string().optional();

const root = createRootRouteWithContext<RouterContext>()({ component: Root, notFoundComponent: PageNotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: z.object({ from: text }),
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./pages/sign-in/forgot-password-page.tsx'), 'ForgotPasswordPage'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./pages/sign-in/choose-password-page.tsx'), 'ChoosePasswordPage'),
});

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/new-password',
  component: lazyRouteComponent(() => import('./pages/sign-in/choose-password-page.tsx'), 'ChoosePasswordPage'),
});

const setUp = createRoute({
  getParentRoute: () => root,
  path: '/set-up',
  component: lazyRouteComponent(() => import('./pages/sign-in/set-up-page.tsx'), 'SetUpPage'),
});

async function askWhoIsThere(queryClient: QueryClient, from: string): Promise<SessionView> {
  const { session, needsSetUp } = await queryClient.ensureQueryData(sessionQuery);
  if (needsSetUp) throw redirect({ to: '/set-up' });
  if (session === null) throw redirect({ to: '/sign-in', search: { from } });
  return session;
}

/** All pages that require a session and use the shell with the navigation. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
  beforeLoad: async ({ context, location }) => {
    await askWhoIsThere(context.queryClient, location.href);
  },
});

const STARTS = {
  owner: '/orders',
  staff: '/orders',
  courier: '/courier',
  operator: '/operator/overview',
} as const satisfies Record<PanelRole, string>;

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async ({ context, location }) => {
    const { role } = await askWhoIsThere(context.queryClient, location.href);
    throw redirect({ to: STARTS[role], replace: true });
  },
});

/** Other roles are redirected to their own start page. */
function openTo(belongs: (role: PanelRole) => boolean) {
  return async (navigation: { context: RouterContext; location: { href: string } }): Promise<void> => {
    const { role } = await askWhoIsThere(navigation.context.queryClient, navigation.location.href);
    if (!belongs(role)) throw redirect({ to: STARTS[role], replace: true });
  };
}

/** Without the shell: couriers have a single page, which they use with one hand. */
const courier = createRoute({
  getParentRoute: () => root,
  path: '/courier',
  beforeLoad: openTo((role) => role === 'courier'),
  component: lazyRouteComponent(() => import('./pages/courier/courier-page.tsx'), 'CourierPage'),
});

const restaurant = createRoute({ getParentRoute: () => app, id: 'restaurant', beforeLoad: openTo(isRestaurantRole) });

const orders = createRoute({
  getParentRoute: () => restaurant,
  path: '/orders',
  validateSearch: z.object({ q: text, state: text, only: text }),
  component: lazyRouteComponent(() => import('./pages/orders/board/orders-page.tsx'), 'OrdersPage'),
});

const order = createRoute({
  getParentRoute: () => restaurant,
  path: '/orders/$orderId',
  component: lazyRouteComponent(() => import('./pages/orders/order/order-page.tsx'), 'OrderPage'),
});

const MAP_SEARCH = z.object({ order: text, show: text, q: text });

const map = createRoute({
  getParentRoute: () => restaurant,
  path: '/map',
  validateSearch: MAP_SEARCH,
  component: lazyRouteComponent(() => import('./pages/map/map-page.tsx'), 'MapPage'),
});

const team = createRoute({
  getParentRoute: () => restaurant,
  path: '/team',
  component: lazyRouteComponent(() => import('./pages/team/team-page.tsx'), 'TeamPage'),
});

const settings = createRoute({
  getParentRoute: () => restaurant,
  path: '/settings',
  beforeLoad: ({ location }) => {
    if (location.pathname.replace(/\/$/, '') === '/settings')
      throw redirect({ to: '/settings/integration', replace: true });
  },
});

const integrationSettings = createRoute({
  getParentRoute: () => settings,
  path: '/integration',
  component: lazyRouteComponent(() => import('./pages/settings/integration/integration-page.tsx'), 'IntegrationPage'),
});

const restaurantSettings = createRoute({
  getParentRoute: () => settings,
  path: '/restaurant',
  component: lazyRouteComponent(() => import('./pages/settings/restaurant/restaurant-page.tsx'), 'RestaurantPage'),
});

const webhooks = createRoute({
  getParentRoute: () => restaurant,
  path: '/webhooks',
  validateSearch: z.object({
    tab: text,
    range: text,
    endpoint: text,
    outcome: text,
    order: text,
    from: text,
    until: text,
    event: text,
  }),
  component: lazyRouteComponent(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});

const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  component: lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
});

const openToOperators = openTo((role) => role === 'operator');

const operator = createRoute({
  getParentRoute: () => app,
  path: '/operator',
  beforeLoad: async (navigation) => {
    await openToOperators(navigation);
    if (navigation.location.pathname.replace(/\/$/, '') === '/operator')
      throw redirect({ to: '/operator/overview', replace: true });
  },
});

const overview = createRoute({
  getParentRoute: () => operator,
  path: '/overview',
  component: lazyRouteComponent(() => import('./pages/operator/overview/overview-page.tsx'), 'OverviewPage'),
});

const planning = createRoute({
  getParentRoute: () => operator,
  path: '/planning',
  component: lazyRouteComponent(() => import('./pages/planning/planning-page.tsx'), 'PlanningPage'),
});

const operatorOrder = createRoute({
  getParentRoute: () => operator,
  path: '/orders/$orderId',
  component: lazyRouteComponent(() => import('./pages/planning/operator-order-page.tsx'), 'OperatorOrderPage'),
});

const operatorMap = createRoute({
  getParentRoute: () => operator,
  path: '/map',
  validateSearch: MAP_SEARCH,
  component: lazyRouteComponent(() => import('./pages/map/map-page.tsx'), 'OperatorMapPage'),
});

const restaurants = createRoute({
  getParentRoute: () => operator,
  path: '/restaurants',
  validateSearch: z.object({ q: text }),
  component: lazyRouteComponent(() => import('./pages/operator/restaurants/restaurants-page.tsx'), 'RestaurantsPage'),
});

const supportCases = createRoute({
  getParentRoute: () => operator,
  path: '/support',
  validateSearch: z.object({ state: text }),
  component: lazyRouteComponent(() => import('./pages/operator/support/support-page.tsx'), 'SupportPage'),
});

const supportCase = createRoute({
  getParentRoute: () => operator,
  path: '/support/$caseId',
  component: lazyRouteComponent(() => import('./pages/operator/support/support-case-page.tsx'), 'SupportCasePage'),
});

const couriers = createRoute({
  getParentRoute: () => operator,
  path: '/couriers',
  validateSearch: z.object({ q: text }),
  component: lazyRouteComponent(() => import('./pages/operator/couriers/couriers-page.tsx'), 'CouriersPage'),
});

const courierProfile = createRoute({
  getParentRoute: () => operator,
  path: '/couriers/$courierId',
  component: lazyRouteComponent(
    () => import('./pages/operator/couriers/courier-profile-page.tsx'),
    'CourierProfilePage',
  ),
});

const users = createRoute({
  getParentRoute: () => operator,
  path: '/users',
  validateSearch: z.object({ q: text, role: text }),
  component: lazyRouteComponent(() => import('./pages/operator/users/users-page.tsx'), 'UsersPage'),
});

const audit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  validateSearch: z.object({ actor: text, action: text, restaurant: text, from: text, until: text }),
  component: lazyRouteComponent(() => import('./pages/operator/audit-page.tsx'), 'AuditPage'),
});

const settingsInForce = createRoute({
  getParentRoute: () => operator,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/operator/settings-page.tsx'), 'SettingsInForcePage'),
});

export const routeTree = root.addChildren([
  signIn,
  forgotPassword,
  invitation,
  newPassword,
  setUp,
  start,
  courier,
  app.addChildren([
    account,
    restaurant.addChildren([
      orders,
      order,
      map,
      team,
      webhooks,
      settings.addChildren([integrationSettings, restaurantSettings]),
    ]),
    operator.addChildren([
      overview,
      planning,
      operatorOrder,
      operatorMap,
      restaurants,
      supportCases,
      supportCase,
      couriers,
      courierProfile,
      users,
      audit,
      settingsInForce,
    ]),
  ]),
]);
