// The table of all panel routes and who may call them. A test requests each route as every kind of user.
import { accountRoutes } from './panel/people/account-routes.ts';
import { courierRoutes } from './panel/couriers/routes.ts';
import { credentialRoutes } from './panel/restaurants/credential-routes.ts';
import { integrationRoutes } from './panel/restaurants/integration-routes.ts';
import { liveRoutes } from './panel/live-routes.ts';
import { mapRoutes } from './panel/planning/map-routes.ts';
import { operatorCourierRoutes } from './panel/operator/courier-routes.ts';
import { operatorOverviewRoutes } from './panel/operator/overview-routes.ts';
import { operatorRestaurantRoutes } from './panel/operator/restaurant-routes.ts';
import { operatorSupportRoutes } from './panel/operator/support-routes.ts';
import { operatorUserRoutes } from './panel/operator/user-routes.ts';
import { orderRoutes } from './panel/orders/routes.ts';
import type { PanelRoute } from './panel/route.ts';
import { restoreNoticeRoutes } from './panel/operator/restore-notice-routes.ts';
import { restaurantRoutes } from './panel/restaurants/routes.ts';
import { planningRoutes } from './panel/planning/routes.ts';
import { sessionRoutes } from './panel/people/session-routes.ts';
import { teamRoutes } from './panel/people/team-routes.ts';
import { webhookRoutes } from './panel/webhooks/routes.ts';

export const PANEL_ROUTES: readonly PanelRoute[] = [
  ...sessionRoutes,
  ...accountRoutes,
  ...teamRoutes,
  ...liveRoutes,
  ...courierRoutes,
  ...planningRoutes,
  ...mapRoutes,
  ...orderRoutes,
  ...integrationRoutes,
  ...credentialRoutes,
  ...restaurantRoutes,
  ...webhookRoutes,
  ...operatorOverviewRoutes,
  ...restoreNoticeRoutes,
  ...operatorRestaurantRoutes,
  ...operatorSupportRoutes,
  ...operatorCourierRoutes,
  ...operatorUserRoutes,
];
