import { z } from 'zod';
import { addUser } from '../actions/people/add-user.ts';
import { resetUserPassword } from '../actions/people/reset-user-password.ts';
import { ROLES } from '../domain/people/roles.ts';
import { formatUtc } from '../domain/time.ts';
import { listUsers } from '../store/people/users.ts';
import { findNamedCourier, findNamedRestaurant, findUserCalled } from './lookup.ts';
import { failed } from './refusals.ts';
import { defineCommand, flag } from './terminal/command.ts';
import { text } from './terminal/inputs.ts';
import { done, doneList } from './terminal/render.ts';

// The role restaurant is an alias of owner.
const ROLE_NAMES = ['restaurant', ...ROLES] as const;

const userAdd = defineCommand({
  name: 'user add',
  usage: '--email E --role restaurant|owner|staff|courier|operator [--restaurant R] [--courier C]',
  summary: 'Add a user with a generated password.',
  input: {
    email: text,
    role: z.enum(ROLE_NAMES, `must be one of ${ROLE_NAMES.join(', ')}`),
    restaurant: text.optional(),
    courier: text.optional(),
  },
  run: (input, context) =>
    context.withSession(async (session) => {
      const restaurant =
        input.restaurant === undefined ? null : await findNamedRestaurant(session.db, input.restaurant);
      if (restaurant?.kind === 'failed') return restaurant;
      const courier = input.courier === undefined ? null : await findNamedCourier(session.db, input.courier);
      if (courier?.kind === 'failed') return courier;
      const belongs = { restaurantId: restaurant?.found.id ?? null, courierId: courier?.found.id ?? null };
      const role = input.role === 'restaurant' ? 'owner' : input.role;
      const result = await addUser(session, { email: input.email, role, ...belongs, actor: context.actor });
      if (result.kind === 'refused') return failed(result);
      const { user, password } = result;
      const value = { email: user.email, password, role, userId: user.id };
      return done('User added. The password is only shown once.', value);
    }),
});

const userPassword = defineCommand({
  name: 'user password',
  usage: '--email E [--end-two-factor]',
  summary:
    'Set a new generated password for a user and sign them out everywhere. --end-two-factor also removes their second factor.',
  input: { email: text, endTwoFactor: flag },
  run: (input, context) =>
    context.withSession(async (session) => {
      const { endTwoFactor: endsTwoFactor } = input;
      const user = await findUserCalled(session.db, input.email);
      if (user.kind === 'failed') return user;
      const whose = { userId: user.found.id, scope: 'everything', actor: context.actor } as const;
      const result = await resetUserPassword(session, { ...whose, endsTwoFactor });
      if (result.kind === 'refused') return failed(result);
      const { email, password } = result;
      return done('New password set. It is only shown once.', { email, password });
    }),
});

const userList = defineCommand({
  name: 'user list',
  usage: '',
  summary: 'List all users.',
  input: {},
  run: (_, context) =>
    context.withSession(async (session) => {
      const users = await listUsers(session.db);
      return doneList(
        'users',
        users.map(({ email, role, id, createdAt }) => ({ email, role, userId: id, createdAt: formatUtc(createdAt) })),
      );
    }),
});

export const userCommands = [userAdd, userPassword, userList];
