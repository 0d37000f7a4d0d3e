// Routes that are each broken in one way that a generated test must report.
import { z } from 'zod';
import { refuse } from '../../src/domain/refusals.ts';
import { ok, refused } from '../../src/http/protocol/answer.ts';
import { done } from '../../src/http/panel/guard.ts';
import { restaurantRoute } from '../../src/http/panel/route.ts';
import { recordChange } from '../../src/store/people/audit-log.ts';
import { findEventOwner } from '../../src/store/orders/events.ts';
import { findOrderById } from '../../src/store/orders/orders.ts';

const params = z.object({ orderId: z.uuid() });
const ABSENT = refused(refuse('ORDER_002'));

export const BROKEN_ROUTES = [
  restaurantRoute({
    method: 'GET',
    url: '/api/broken/shows/:orderId',
    params,
    handler: async ({ db }, call) => {
      const order = await findOrderById(db, call.params.orderId);
      return order === undefined ? ABSENT : ok(order);
    },
  }),
  restaurantRoute({
    method: 'GET',
    url: '/api/broken/tells/:orderId',
    params,
    handler: async ({ db }, { params: { orderId }, session }) => {
      const order = await findOrderById(db, orderId);
      if (order === undefined) return ABSENT;
      return order.restaurantId === session.restaurantId
        ? done()
        : refused(refuse('PANEL_002', 'This order belongs to another restaurant'));
    },
  }),
  restaurantRoute({
    method: 'POST',
    url: '/api/broken/changes/:orderId',
    params,
    handler: async ({ changer }, call) => {
      await changer.change({ ...call.params, command: { name: 'approve' }, actor: { role: 'restaurant' } });
      return done();
    },
  }),
  restaurantRoute({
    method: 'GET',
    url: '/api/broken/pairs/:orderId/:eventId',
    params: params.extend({ eventId: z.uuid() }),
    handler: async ({ db }, { params: { eventId }, session }) =>
      (await findEventOwner(db, eventId)) === session.restaurantId ? done() : ABSENT,
  }),
  restaurantRoute({
    method: 'POST',
    url: '/api/broken/forgets',
    handler: async ({ db, clock }, { session: { email, restaurantId } }) => {
      const entry = { at: clock.now(), actor: { name: email }, restaurantId, action: 'broken.forgets', detail: {} };
      await db.transaction((tx) => recordChange(tx, entry));
      return done();
    },
  }),
  restaurantRoute({
    method: 'GET',
    url: '/api/broken/lists',
    handler: async ({ db }) => ok({ names: await db.query('select name from restaurants') }),
  }),
  restaurantRoute({
    method: 'GET',
    url: '/api/broken/casts',
    query: z.object({ at: z.string().optional() }),
    handler: async ({ db }, { query }) => ok({ rows: await db.query('select $1::timestamptz', [query.at ?? null]) }),
  }),
];
