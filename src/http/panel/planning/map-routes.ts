// The live map: a restaurant's own orders and their couriers; everything for the operator.
import { mapApi } from '../../../contract/panel/planning/map.ts';
import { ok } from '../../protocol/answer.ts';
import { readLiveMap } from './map-view.ts';
import { panelRoute, restaurantRoute } from '../route.ts';

export const mapRoutes = [
  restaurantRoute(mapApi.read, {
    handler: async ({ db, clock }, { session }) =>
      ok(await readLiveMap(db, { restaurantId: session.restaurantId, now: clock.now() })),
  }),
  panelRoute(mapApi.readAll, {
    roles: ['operator'],
    handler: async ({ db, clock }) => ok(await readLiveMap(db, { restaurantId: null, now: clock.now() })),
  }),
  panelRoute(mapApi.readStyle, {
    roles: ['owner', 'staff', 'operator', 'courier'],
    handler: ({ mapStyleUrl }) => ok({ styleUrl: mapStyleUrl }),
  }),
];
