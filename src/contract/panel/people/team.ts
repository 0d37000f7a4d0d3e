// Requests and responses of a restaurant's team page.
import { z } from 'zod';
import { RESTAURANT_ROLES } from '../../../domain/people/roles.ts';
import { declareRoutes } from '../routes.ts';
import { emailField, nameField } from './fields.ts';

const time = z.string().describe('RFC 3339, UTC');

export const inviteRequest = z.object({
  email: emailField,
  name: nameField.default(''),
  role: z.enum(RESTAURANT_ROLES),
});
export const changeMemberRequest = z
  .object({ role: z.enum(RESTAURANT_ROLES).optional(), isDisabled: z.boolean().optional() })
  .refine(
    (change) => (change.role === undefined) !== (change.isDisabled === undefined),
    'Must contain either role or isDisabled',
  );

export const member = z.object({
  userId: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: z.enum(RESTAURANT_ROLES),
  state: z.enum(['active', 'invited', 'disabled']),
  hasTwoFactor: z.boolean(),
  createdAt: time,
});
export type Member = z.infer<typeof member>;
export const teamAnswer = z.object({ members: z.array(member) });
export type TeamAnswer = z.infer<typeof teamAnswer>;

export const inviteAnswer = z.object({
  member,
  invitationLink: z.string().nullable().describe('Only without a mail server: to be passed on by hand. Shown once'),
  expiresAt: time,
});
export type InviteAnswer = z.infer<typeof inviteAnswer>;

export const teamApi = declareRoutes({
  list: { method: 'GET', path: '/api/team', answer: teamAnswer },
  invite: { method: 'POST', path: '/api/team', body: inviteRequest, answer: inviteAnswer },
  inviteAgain: { method: 'POST', path: '/api/team/:userId/invitation', answer: inviteAnswer },
  change: { method: 'PATCH', path: '/api/team/:userId', body: changeMemberRequest, answer: member },
  remove: { method: 'DELETE', path: '/api/team/:userId', answer: 'nothing' },
});
