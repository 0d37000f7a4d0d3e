// Routes that are each broken in one way that a generated test must report.
import { z } from 'zod';
import { declareRoutes } from '../../src/contract/panel/routes.ts';
import { refuse, refused } from '../../src/domain/refusals.ts';
import { ok } from '../../src/http/protocol/answer.ts';
import { done } from '../../src/http/panel/guard.ts';
import { restaurantRoute } from '../../src/http/panel/route.ts';
import { recordChange } from '../../src/store/people/audit-log.ts';
import { findEventOwner } from '../../src/store/orders/events.ts';
import { findOrderById } from '../../src/store/orders/orders.ts';

const answer = z.custom<object>();
const ABSENT = refused(refuse('ORDER_002'));

const brokenApi = declareRoutes({
  shows: { method: 'GET', path: '/api/broken/shows/:orderId', answer },
  reveals: { method: 'GET', path: '/api/broken/reveals/:orderId', answer },
  changes: { method: 'POST', path: '/api/broken/changes/:orderId', answer },
  pairs: { method: 'GET', path: '/api/broken/pairs/:orderId/:eventId', answer },
  forgets: { method: 'POST', path: '/api/broken/forgets', answer },
  lists: { method: 'GET', path: '/api/broken/lists', answer },
  casts: { method: 'GET', path: '/api/broken/casts', query: z.object({ at: z.string().optional() }), answer },
});

export const BROKEN_ROUTES = [
  restaurantRoute(brokenApi.shows, {
    handler: async ({ db }, call) => {
      const order = await findOrderById(db, call.params.orderId);
      return order === undefined ? ABSENT : ok(order);
    },
  }),
  restaurantRoute(brokenApi.reveals, {
    handler: async ({ db }, { params: { orderId }, session }) => {
      const order = await findOrderById(db, orderId);
      if (order === undefined) return ABSENT;
      return order.restaurantId === session.restaurantId
        ? done()
        : refused(refuse('PANEL_002', 'This order belongs to another restaurant'));
    },
  }),
  restaurantRoute(brokenApi.changes, {
    handler: async ({ changer }, call) => {
      await changer.change({
        scope: 'everything',
        ...call.params,
        command: { name: 'approve' },
        actor: { role: 'restaurant' },
      });
      return done();
    },
  }),
  restaurantRoute(brokenApi.pairs, {
    handler: async ({ db }, { params: { eventId }, session }) =>
      (await findEventOwner(db, eventId)) === session.restaurantId ? done() : ABSENT,
  }),
  restaurantRoute(brokenApi.forgets, {
    handler: async ({ db, clock }, { session: { email, restaurantId } }) => {
      const entry = { at: clock.now(), actor: { name: email }, restaurantId, action: 'broken.forgets', detail: {} };
      await db.transaction((tx) => recordChange(tx, entry));
      return done();
    },
  }),
  restaurantRoute(brokenApi.lists, {
    handler: async ({ db }) => ok({ names: await db.query('select name from restaurants') }),
  }),
  restaurantRoute(brokenApi.casts, {
    handler: async ({ db }, { query }) => ok({ rows: await db.query('select $1::timestamptz', [query.at ?? null]) }),
  }),
];
