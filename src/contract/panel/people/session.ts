// The panel's requests and responses for sign-in, the account and the team.
import { z } from 'zod';
import { MAX_PASSWORD_LENGTH, RESTAURANT_ROLES, ROLES, MIN_PASSWORD_LENGTH } from '../../../domain/people/roles.ts';

const email = z.string().trim().min(3).max(254);
const name = z.string().trim().max(100);
/** An existing password, compared as typed. */
const password = z.string().min(1).max(1_000);
const newPassword = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `Use at least ${MIN_PASSWORD_LENGTH} characters`)
  .max(MAX_PASSWORD_LENGTH, `Use at most ${MAX_PASSWORD_LENGTH} characters`);
const token = z.string().min(1).max(200);
const time = z.string().describe('RFC 3339, UTC');

export const signInRequest = z.object({ email, password });
/** Six digits, or a backup code. */
export const secondFactorRequest = z.object({ code: z.string().trim().min(6).max(20) });
export const changePasswordRequest = z.object({ currentPassword: password, newPassword });
export const passwordRequest = z.object({ password });
export const resetRequest = z.object({ email });
export const linkRequest = z.object({ token });
export const choosePasswordRequest = z.object({ token, password: newPassword, name: name.optional() });
export const setUpRequest = z.object({ code: z.string().max(100), email, name, password: newPassword });
export const inviteRequest = z.object({ email, name: name.default(''), role: z.enum(RESTAURANT_ROLES) });
export const changeMemberRequest = z
  .object({ role: z.enum(RESTAURANT_ROLES).optional(), isDisabled: z.boolean().optional() })
  .refine(
    (change) => (change.role === undefined) !== (change.isDisabled === undefined),
    'Must contain either role or isDisabled',
  );
export const actAsRestaurantRequest = z.object({ restaurantId: z.uuid() });

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

/** GET /api/session, also for users who are not signed in. */
export const sessionAnswer = z.object({
  session: sessionView.nullable(),
  environment: z.enum(['live', 'test']),
  needsSetUp: z.boolean().describe('There is no operator yet: show the set-up page'),
});
export type SessionAnswer = z.infer<typeof sessionAnswer>;

/** POST /api/session: when a second factor is needed, POST /api/session/second-factor comes next. */
export const signInAnswer = z.object({ next: z.enum(['done', 'second-factor']) });
export type SignInAnswer = z.infer<typeof signInAnswer>;

/** Shown once. */
export const twoFactorAnswer = z.object({
  secret: z.string(),
  otpauthUri: z.string(),
  backupCodes: z.array(z.string()),
});
export type TwoFactorAnswer = z.infer<typeof twoFactorAnswer>;
export const backupCodesAnswer = z.object({ backupCodes: z.array(z.string()) });
export type BackupCodesAnswer = z.infer<typeof backupCodesAnswer>;

export const linkAnswer = z.object({
  purpose: z.enum(['invitation', 'reset']),
  email: z.string(),
  name: z.string(),
  restaurantName: z.string().nullable(),
});
export type LinkAnswer = z.infer<typeof linkAnswer>;

/** The address to sign in with, after a password was chosen or the first operator was set up. */
export const emailAnswer = z.object({ email: z.string() });
export type EmailAnswer = z.infer<typeof emailAnswer>;

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
