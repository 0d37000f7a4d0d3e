// Operator routes for all couriers, of the pool and of restaurants: profile, duty and shifts.
import { addCourier } from '../../../actions/couriers/add-courier.ts';
import { addShift } from '../../../actions/couriers/add-shift.ts';
import { changeCourier } from '../../../actions/couriers/change-courier.ts';
import type { CourierProfile } from '../../../actions/couriers/courier-profile.ts';
import { removeShift } from '../../../actions/couriers/remove-shift.ts';
import { setCourierDuty } from '../../../actions/couriers/set-courier-duty.ts';
import { couriersApi, type CourierEntry } from '../../../contract/panel/operator/couriers.ts';
import type { BodyOf } from '../../../contract/panel/routes.ts';
import { refuse, refused, refuseValue } from '../../../domain/refusals.ts';
import { formatUtc } from '../../../domain/time.ts';
import { findPhotoTime } from '../../../store/couriers/photos.ts';
import { listShifts } from '../../../store/couriers/shifts.ts';
import { findCourier } from '../../../store/couriers/couriers.ts';
import {
  findCourierEntry,
  searchCouriers,
  type CourierEntry as StoredEntry,
} from '../../../store/couriers/courier-list.ts';
import { findRestaurantByProviderId } from '../../../store/restaurants/restaurants.ts';
import { ok } from '../../protocol/answer.ts';
import { showPhoto } from '../couriers/photo.ts';
import { done } from '../guard.ts';
import { panelRoute, type PanelDeps } from '../route.ts';

const OPERATORS = ['operator'] as const;
const PAGE_COURIERS = 50;
const UNKNOWN = refuse('PANEL_001');
const UNKNOWN_RESTAURANT = refuseValue({ field: 'restaurantId', message: 'Must be an existing restaurant' });

export const operatorCourierRoutes = [
  panelRoute(couriersApi.search, {
    roles: OPERATORS,
    handler: async (deps, { query }) => {
      const last = query.after === undefined ? undefined : await findCourier(deps.db, query.after);
      const found = await searchCouriers(deps.db, {
        text: query.q,
        after: last ?? null,
        limit: PAGE_COURIERS + 1,
        now: deps.clock.now(),
      });
      const page = found.slice(0, PAGE_COURIERS);
      return ok({
        couriers: page.map(describeCourier),
        next: found.length > PAGE_COURIERS ? (page.at(-1)?.id ?? null) : null,
      });
    },
  }),
  panelRoute(couriersApi.add, {
    roles: OPERATORS,
    handler: async (deps, { session, body }) => {
      const { location, ...profile } = body;
      const restaurantId = await findRestaurantId(deps, body.restaurantId);
      if (restaurantId === undefined) return refused(UNKNOWN_RESTAURANT);
      const { latitude = null, longitude = null } = location ?? {};
      const result = await addCourier(deps, { ...profile, restaurantId, latitude, longitude, actor: session.actor });
      return result.kind === 'refused' ? result : ok({ id: result.courier.id }, 201);
    },
  }),
  panelRoute(couriersApi.read, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const now = deps.clock.now();
      const courier = await findCourierEntry(deps.db, call.params.courierId, now);
      if (courier === undefined) return refused(UNKNOWN);
      const [shifts, photoAt] = await Promise.all([
        listShifts(deps.db, courier.id, now),
        findPhotoTime(deps.db, courier.id),
      ]);
      return ok({
        ...describeCourier(courier),
        photoAt: formatUtc(photoAt),
        shifts: shifts.map(({ id, startsAt, endsAt }) => ({
          id,
          startsAt: formatUtc(startsAt),
          endsAt: formatUtc(endsAt),
        })),
      });
    },
  }),
  panelRoute(couriersApi.readPhoto, {
    roles: OPERATORS,
    handler: (deps, call) => showPhoto(deps, call.params.courierId),
  }),
  panelRoute(couriersApi.change, {
    roles: OPERATORS,
    handler: async (deps, { session, params: { courierId }, body }) => {
      const { restaurantId: employer, ...profile } = body;
      const restaurantId = await findRestaurantId(deps, employer ?? null);
      if (restaurantId === undefined) return refused(UNKNOWN_RESTAURANT);
      const result = await changeCourier(deps, {
        courierId,
        scope: 'everything',
        profile: toProfile(profile),
        ...(employer !== undefined && { restaurantId }),
        actor: session.actor,
      });
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(couriersApi.setDuty, {
    roles: OPERATORS,
    handler: async (deps, { session: { actor }, params: { courierId }, body }) => {
      const { onDuty } = body;
      const result = await setCourierDuty(deps, { courierId, scope: 'everything', onDuty, actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
  panelRoute(couriersApi.addShift, {
    roles: OPERATORS,
    handler: async (deps, { session: { actor }, params: { courierId }, body }) => {
      const times = { startsAt: Date.parse(body.startsAt), endsAt: Date.parse(body.endsAt) };
      const result = await addShift(deps, { courierId, scope: 'everything', ...times, actor });
      return result.kind === 'refused' ? result : ok({ id: result.shift.id }, 201);
    },
  }),
  panelRoute(couriersApi.removeShift, {
    roles: OPERATORS,
    handler: async (deps, { session: { actor }, params: { courierId, shiftId } }) => {
      const result = await removeShift(deps, { courierId, scope: 'everything', shiftId, actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
];

/** Pages name a restaurant by the integrator's id. Undefined if there is none. */
async function findRestaurantId(deps: PanelDeps, providerId: string | null): Promise<string | null | undefined> {
  return providerId === null ? null : (await findRestaurantByProviderId(deps.db, providerId))?.id;
}

function toProfile({
  location,
  ...rest
}: Omit<BodyOf<typeof couriersApi.change>, 'restaurantId'>): Partial<CourierProfile> {
  const profile = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  if (location === undefined) return profile;
  return { ...profile, latitude: location?.latitude ?? null, longitude: location?.longitude ?? null };
}

function describeCourier({ latitude, longitude, restaurant, position, ...courier }: StoredEntry): CourierEntry {
  return {
    ...courier,
    location: latitude === null || longitude === null ? null : { latitude, longitude },
    restaurant: restaurant && {
      id: restaurant.id,
      restaurantId: restaurant.providerRestaurantId,
      name: restaurant.name,
    },
    shiftEndsAt: formatUtc(courier.shiftEndsAt),
    position: position && { ...position, reportedAt: formatUtc(position.reportedAt) },
  };
}
