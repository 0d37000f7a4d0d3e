import { discardDelivery } from '../actions/webhooks/discard-delivery.ts';
import { resendDelivery } from '../actions/webhooks/resend-delivery.ts';
import { resendFailed } from '../actions/webhooks/resend-failed.ts';
import { formatWithOffset, type Instant } from '../domain/time.ts';
import { countFailedSince, listDeliveries, type ResendResult } from '../store/webhooks/delivery-log.ts';
import { findNamedRestaurant } from './lookup.ts';
import { failed } from './refusals.ts';
import { defineCommand, flag, type CommandContext, type Outcome } from './terminal/command.ts';
import { pastTime, text, wholeNumber } from './terminal/inputs.ts';
import { describeDelivery } from './order-view.ts';
import { done, doneList } from './terminal/render.ts';

const NO_SUCH_DELIVERY: Outcome = {
  kind: 'failed',
  message: 'There is no webhook with this id. List them with: delivery list --restaurant R',
};

const deliveryList = defineCommand({
  name: 'delivery list',
  usage: '--restaurant R [--limit N]',
  summary: 'List the newest webhooks of a restaurant with their status.',
  input: { restaurant: text, limit: wholeNumber.prefault('50') },
  run: (input, context) =>
    context.withSession(async (session) => {
      const named = await findNamedRestaurant(session.db, input.restaurant);
      if (named.kind === 'failed') return named;
      const restaurant = named.found;
      const deliveries = await listDeliveries(session.db, restaurant.id, input.limit);
      const at = (instant: number) => formatWithOffset(instant, restaurant.timeZone);
      return doneList(
        'deliveries',
        deliveries.map((delivery) => describeDelivery(delivery, at)),
      );
    }),
});

const HEADLINES: Record<Exclude<ResendResult, 'unknown'>, string> = {
  queued: 'The webhook is being resent.',
  already_sending: 'The webhook is already being sent.',
  held: 'The webhook is held, because no URL is registered for it or the integration is disabled.',
};

const deliveryResend = defineCommand({
  name: 'delivery resend',
  usage: '<id> | --restaurant R --since T [--count]',
  summary:
    'Resend one webhook, or all that failed since a given time (2h, 1d, 2026-03-01T12:00:00+03:00) and wait for a retry. --count only counts them.',
  input: { id: text.optional(), restaurant: text.optional(), since: pastTime.optional(), count: flag },
  positionals: ['id'],
  run: async ({ id, restaurant, since, count }, context) => {
    const isOne = id !== undefined && restaurant === undefined && since === undefined && !count;
    if (isOne) return resendOne(id, context);
    if (id !== undefined || restaurant === undefined || since === undefined) {
      return { kind: 'misused', message: 'Give either one webhook id, or --restaurant and --since.' };
    }
    const scope = { restaurantId: restaurant, since: since(context.platform.clock.now()) };
    return count ? countFailed(scope, context) : resendAll(scope, context);
  },
});

function resendOne(eventId: string, context: CommandContext): Promise<Outcome> {
  return context.withSession(async (session) => {
    const result = await resendDelivery(session, { eventId, scope: 'everything', actor: context.actor });
    if (result.kind === 'refused') return NO_SUCH_DELIVERY;
    return done(HEADLINES[result.kind], { id: eventId, result: result.kind });
  });
}

interface FailedScope {
  restaurantId: string;
  since: Instant;
}

function resendAll(scope: FailedScope, context: CommandContext): Promise<Outcome> {
  return context.withSession(async (session) => {
    const restaurant = await findNamedRestaurant(session.db, scope.restaurantId);
    if (restaurant.kind === 'failed') return restaurant;
    const request = { restaurantId: restaurant.found.id, since: scope.since, actor: context.actor };
    const result = await resendFailed(session, request);
    if (result.kind === 'refused') return failed(result);
    return done('The webhooks are being resent.', { restaurantId: scope.restaurantId, count: result.count });
  });
}

function countFailed({ restaurantId, since }: FailedScope, context: CommandContext): Promise<Outcome> {
  return context.withSession(async (session) => {
    const restaurant = await findNamedRestaurant(session.db, restaurantId);
    if (restaurant.kind === 'failed') return restaurant;
    const count = await countFailedSince(session.db, restaurant.found.id, since);
    return done('These webhooks would be resent.', { restaurantId, count });
  });
}

const deliveryDiscard = defineCommand({
  name: 'delivery discard',
  usage: '<id>',
  summary: 'Discard a webhook. It is not sent again, and stays in the events feed.',
  input: { id: text },
  positionals: ['id'],
  run: ({ id: eventId }, context) =>
    context.withSession(async (session) => {
      const result = await discardDelivery(session, { eventId, scope: 'everything', actor: context.actor });
      if (result.kind === 'discarded') return done('Discarded.', { id: eventId, discarded: true });
      return result.refusal.code === 'PANEL_001' ? NO_SUCH_DELIVERY : failed(result);
    }),
});

export const deliveryCommands = [deliveryList, deliveryResend, deliveryDiscard];
