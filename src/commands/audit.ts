import { formatUtc } from '../domain/time.ts';
import { listAuditEntries } from '../store/people/audit-log.ts';
import { findNamedRestaurant } from './lookup.ts';
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
      const restaurant =
        input.restaurant === undefined ? null : await findNamedRestaurant(session.db, input.restaurant);
      if (restaurant?.kind === 'failed') return restaurant;
      const entries = await listAuditEntries(session.db, restaurant?.found.id ?? null, input.limit);
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
