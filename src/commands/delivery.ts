import { refuseUnknownRestaurant } from '../actions/administration.ts';
import { discardDelivery } from '../actions/webhooks/discard-delivery.ts';
import { resendDelivery } from '../actions/webhooks/resend-delivery.ts';
import { resendFailed } from '../actions/webhooks/resend-failed.ts';
import { formatWithOffset, type Instant } from '../domain/time.ts';
import { countFailedSince, listDeliveries, type ResendResult } from '../store/webhooks/delivery-log.ts';
import { findRestaurantByProviderId } from '../store/restaurants/restaurants.ts';
import { defineCommand, flag, type CommandContext, type Outcome } from './terminal/command.ts';
import { pastTime, text, wholeNumber } from './terminal/inputs.ts';
import { describeDelivery } from './order-view.ts';
import { done, doneList } from './terminal/render.ts';

const NO_SUCH_DELIVERY: Outcome = {
  kind: 'failed',
  message: 'There is no such delivery; see: delivery list --restaurant R',
};

const deliveryList = defineCommand({
  name: 'delivery list',
  usage: '--restaurant R [--limit N]',
  summary: 'List the newest webhooks of a restaurant and how they fared.',
  input: { restaurant: text, limit: wholeNumber.prefault('50') },
  run: (input, context) =>
    context.withSession(async (session) => {
      const restaurant = await findRestaurantByProviderId(session.db, input.restaurant);
      if (restaurant === undefined) return { ...refuseUnknownRestaurant(input.restaurant), kind: 'failed' };
      const deliveries = await listDeliveries(session.db, restaurant.id, input.limit);
      const at = (instant: number) => formatWithOffset(instant, restaurant.timeZone);
      return doneList(
        'deliveries',
        deliveries.map((delivery) => describeDelivery(delivery, at)),
      );
    }),
});

const HEADLINES: Record<Exclude<ResendResult, 'unknown'>, string> = {
  queued: 'It is being sent again.',
  already_sending: 'It is being sent this moment.',
  held: 'It is held: the restaurant has no URL for it, or its integration is switched off.',
};

const deliveryResend = defineCommand({
  name: 'delivery resend',
  usage: '<id> | --restaurant R --since T [--count]',
  summary:
    'Send a webhook again at once, or all that wait for a retry since a time (2h, 1d, 2026-03-01T12:00:00+03:00); --count only counts them.',
  input: { id: text.optional(), restaurant: text.optional(), since: pastTime.optional(), count: flag },
  positionals: ['id'],
  run: async ({ id, restaurant, since, count }, context) => {
    const isOne = id !== undefined && restaurant === undefined && since === undefined && !count;
    if (isOne) return resendOne(id, context);
    if (id !== undefined || restaurant === undefined || since === undefined) {
      return { kind: 'misused', message: 'Name one delivery by its id, or --restaurant R --since T.' };
    }
    const scope = { restaurantId: restaurant, since: since(context.platform.clock.now()) };
    return count ? countFailed(scope, context) : resendAll(scope, context);
  },
});

function resendOne(eventId: string, context: CommandContext): Promise<Outcome> {
  return context.withSession(async (session) => {
    const result = await resendDelivery(session, { eventId, actor: context.actor });
    return result === 'unknown' ? NO_SUCH_DELIVERY : done(HEADLINES[result], { id: eventId, result });
  });
}

interface FailedScope {
  restaurantId: string;
  since: Instant;
}

function resendAll(scope: FailedScope, context: CommandContext): Promise<Outcome> {
  return context.withSession(async (session) => {
    const result = await resendFailed(session, { ...scope, actor: context.actor });
    if (result.kind === 'refused') return { kind: 'failed', message: result.message };
    return done('They are being sent again.', { restaurantId: scope.restaurantId, count: result.count });
  });
}

function countFailed({ restaurantId, since }: FailedScope, context: CommandContext): Promise<Outcome> {
  return context.withSession(async (session) => {
    const restaurant = await findRestaurantByProviderId(session.db, restaurantId);
    if (restaurant === undefined) return { ...refuseUnknownRestaurant(restaurantId), kind: 'failed' };
    const count = await countFailedSince(session.db, restaurant.id, since);
    return done('So many would be sent again.', { restaurantId, count });
  });
}

const deliveryDiscard = defineCommand({
  name: 'delivery discard',
  usage: '<id>',
  summary: 'Give a webhook up: it is not sent any more, and stays in the events feed.',
  input: { id: text },
  positionals: ['id'],
  run: ({ id: eventId }, context) =>
    context.withSession(async (session) => {
      const isDone = await discardDelivery(session, { eventId, actor: context.actor });
      if (isDone) return done('Discarded.', { id: eventId, discarded: true });
      return { kind: 'failed', message: 'Nothing of that id waits to be sent; see: delivery list --restaurant R' };
    }),
});

export const deliveryCommands = [deliveryList, deliveryResend, deliveryDiscard];
