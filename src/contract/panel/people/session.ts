// The current session. Separate from signing in, the account and the team, because every page loads it.
import { z } from 'zod';
import { ROLES } from '../../../domain/people/roles.ts';
import { declareRoutes } from '../routes.ts';

export const sessionView = z.object({
  userId: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: z.enum(ROLES).describe('owner while an operator is signed in as a restaurant'),
  restaurant: z.object({ id: z.uuid(), name: z.string(), timeZone: z.string() }).nullable(),
  courierId: z.uuid().nullable(),
  hasTwoFactor: z.boolean(),
  impersonatedBy: z.string().nullable().describe('Email of the operator who is signed in as this restaurant'),
});
export type SessionView = z.infer<typeof sessionView>;

export const sessionAnswer = z.object({
  session: sessionView.nullable(),
  environment: z.enum(['live', 'test']),
  needsSetUp: z.boolean().describe('There is no operator yet: show the set-up page'),
});
export type SessionAnswer = z.infer<typeof sessionAnswer>;

export const actAsRestaurantRequest = z.object({ restaurantId: z.uuid() });

export const sessionApi = declareRoutes({
  /** Also for users who are not signed in. */
  read: { method: 'GET', path: '/api/session', answer: sessionAnswer },
  signOut: { method: 'DELETE', path: '/api/session', answer: 'nothing' },
});

export const impersonationApi = declareRoutes({
  begin: { method: 'POST', path: '/api/operator/impersonation', body: actAsRestaurantRequest, answer: 'nothing' },
  end: { method: 'DELETE', path: '/api/session/impersonation', answer: 'nothing' },
});
