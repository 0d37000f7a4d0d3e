// THE table: every route of the panel, and who may call it. A test tries each of them as everybody.
import { accountRoutes } from './account-routes.ts';
import { courierRoutes } from './courier-routes.ts';
import { credentialRoutes } from './credential-routes.ts';
import { integrationRoutes } from './integration-routes.ts';
import { liveRoutes } from './live-routes.ts';
import { mapRoutes } from './map-routes.ts';
import { operatorCourierRoutes } from './operator-courier-routes.ts';
import { operatorOverviewRoutes } from './operator-overview-routes.ts';
import { operatorRestaurantRoutes } from './operator-restaurant-routes.ts';
import { operatorSupportRoutes } from './operator-support-routes.ts';
import { operatorUserRoutes } from './operator-user-routes.ts';
import { orderRoutes } from './order-routes.ts';
import type { PanelRoute } from './panel-route.ts';
import { restoreNoticeRoutes } from './restore-notice-routes.ts';
import { restaurantRoutes } from './restaurant-routes.ts';
import { planningRoutes } from './planning-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { teamRoutes } from './team-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

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
