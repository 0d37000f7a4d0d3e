import { z } from 'zod';
import { addUser } from '../actions/add-user.ts';
import { resetUserPassword } from '../actions/reset-user-password.ts';
import { listUsers, USER_ROLES } from '../store/users.ts';
import { defineCommand } from './command.ts';
import { text } from './inputs.ts';
import { done, doneList, toIso } from './render.ts';

const userAdd = defineCommand({
  name: 'user add',
  usage: '--email E --role restaurant|courier|operator [--restaurant R]',
  summary: 'Add somebody who signs in to the pages, with a generated password.',
  input: {
    email: text,
    role: z.enum(USER_ROLES, `must be one of ${USER_ROLES.join(', ')}`),
    restaurant: text.optional(),
  },
  run: (input, context) =>
    context.withSession(async (session) => {
      const { email, role, restaurant = null } = input;
      const result = await addUser(session, { email, role, restaurantId: restaurant, actor: context.actor });
      if (result.kind === 'refused') return { kind: 'failed', message: result.message };
      const { user, password } = result;
      const value = { email: user.email, password, role, userId: user.id };
      return done('User added. The password is shown this once only.', value);
    }),
});

const userPassword = defineCommand({
  name: 'user password',
  usage: '--email E',
  summary: 'Give somebody a new generated password.',
  input: { email: text },
  run: (input, context) =>
    context.withSession(async (session) => {
      const result = await resetUserPassword(session, { email: input.email, actor: context.actor });
      if (result.kind === 'refused') return { kind: 'failed', message: result.message };
      const { email, password } = result;
      return done('New password set. It is shown this once only.', { email, password });
    }),
});

const userList = defineCommand({
  name: 'user list',
  usage: '',
  summary: 'List everybody who can sign in.',
  input: {},
  run: (_, context) =>
    context.withSession(async (session) => {
      const users = await listUsers(session.db);
      return doneList(
        'users',
        users.map(({ email, role, id, createdAt }) => ({ email, role, userId: id, createdAt: toIso(createdAt) })),
      );
    }),
});

export const userCommands = [userAdd, userPassword, userList];
