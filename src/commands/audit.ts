import { refuseUnknownRestaurant } from '../actions/administration.ts';
import { formatUtc } from '../domain/time.ts';
import { listAuditEntries } from '../store/people/audit-log.ts';
import { findRestaurantByProviderId } from '../store/restaurants/restaurants.ts';
import { defineCommand } from './terminal/command.ts';
import { text, wholeNumber } from './terminal/inputs.ts';
import { doneList } from './terminal/render.ts';

const auditList = defineCommand({
  name: 'audit list',
  usage: '[--restaurant R] [--limit N]',
  summary: 'List changes with their time, author and IP address, newest first.',
  input: { restaurant: text.optional(), limit: wholeNumber.prefault('50') },
  run: (input, context) =>
    context.withSession(async (session) => {
      const { restaurant: restaurantId } = input;
      const restaurant = restaurantId === undefined ? null : await findRestaurantByProviderId(session.db, restaurantId);
      if (restaurant === undefined) return { ...refuseUnknownRestaurant(restaurantId ?? ''), kind: 'failed' };
      const entries = await listAuditEntries(session.db, restaurant?.id ?? null, input.limit);
      return doneList(
        'entries',
        entries.map(({ at, actor, clientAddress, action, detail }) => ({
          at: formatUtc(at),
          actor,
          clientAddress,
          action,
          detail,
        })),
      );
    }),
});

export const auditCommands = [auditList];
