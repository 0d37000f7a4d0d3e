// Requests and responses of the operator's users page.
import { z } from 'zod';
import { ROLES } from '../../../domain/people/roles.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');

export const usersQuery = z.object({
  q: z.string().trim().max(100).default(''),
  role: z.enum(ROLES).optional(),
  after: z.string().max(254).optional(),
});

export const userEntry = z.object({
  userId: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  restaurantName: z.string().nullable(),
  courierName: z.string().nullable(),
  state: z.enum(['active', 'invited', 'disabled']),
  hasTwoFactor: z.boolean(),
  sessions: z.number().describe('Number of active sessions'),
  lastSeenAt: time.nullable(),
  createdAt: time,
});
export type UserEntry = z.infer<typeof userEntry>;

export const usersAnswer = z.object({
  users: z.array(userEntry),
  next: z.string().nullable().describe('The `after` of the next page'),
});
export type UsersAnswer = z.infer<typeof usersAnswer>;

const email = z.string().trim().min(3).max(254);
const name = z.string().trim().max(100).default('');

export const inviteUserRequest = z.discriminatedUnion('role', [
  z.object({ role: z.literal('operator'), email, name }),
  z.object({ role: z.enum(['owner', 'staff']), email, name, restaurantId: z.uuid().describe("Waybill's id for it") }),
  z.object({ role: z.literal('courier'), email, name, courierId: z.uuid() }),
]);
export type InviteUserRequest = z.input<typeof inviteUserRequest>;

export const inviteUserAnswer = z.object({
  email: z.string(),
  invitationLink: z.string().nullable().describe('Only without a mail server: to be passed on by hand. Shown once'),
  expiresAt: time,
});
export type InviteUserAnswer = z.infer<typeof inviteUserAnswer>;

export const changeUserRequest = z.object({ isDisabled: z.boolean() });

export const usersApi = declareRoutes({
  search: { method: 'GET', path: '/api/operator/users', query: usersQuery, answer: usersAnswer },
  invite: { method: 'POST', path: '/api/operator/users', body: inviteUserRequest, answer: inviteUserAnswer },
  inviteAgain: { method: 'POST', path: '/api/operator/users/:userId/invitation', answer: inviteUserAnswer },
  change: { method: 'PATCH', path: '/api/operator/users/:userId', body: changeUserRequest, answer: 'nothing' },
  resetTwoFactor: { method: 'POST', path: '/api/operator/users/:userId/two-factor/reset', answer: 'nothing' },
  signOut: { method: 'POST', path: '/api/operator/users/:userId/sign-out', answer: 'nothing' },
  remove: { method: 'DELETE', path: '/api/operator/users/:userId', answer: 'nothing' },
});
