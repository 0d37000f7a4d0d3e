// Requests and responses that need no session: signing in and everything before it.
import { z } from 'zod';
import { declareRoutes } from '../routes.ts';
import { emailField, nameField, newPasswordField, passwordField } from './fields.ts';

const token = z.string().min(1).max(200);

export const signInRequest = z.object({ email: emailField, password: passwordField });
/** Six digits, or a backup code. */
export const secondFactorRequest = z.object({ code: z.string().trim().min(6).max(20) });
export const resetRequest = z.object({ email: emailField });
export const linkRequest = z.object({ token });
export const choosePasswordRequest = z.object({ token, password: newPasswordField, name: nameField.optional() });
export const setUpRequest = z.object({
  code: z.string().max(100),
  email: emailField,
  name: nameField,
  password: newPasswordField,
});

/** After `second-factor`, the code comes next. */
export const signInAnswer = z.object({ next: z.enum(['done', 'second-factor']) });
export type SignInAnswer = z.infer<typeof signInAnswer>;

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

export const signInApi = declareRoutes({
  signIn: { method: 'POST', path: '/api/session', body: signInRequest, answer: signInAnswer },
  passSecondFactor: {
    method: 'POST',
    path: '/api/session/second-factor',
    body: secondFactorRequest,
    answer: signInAnswer,
  },
  requestReset: { method: 'POST', path: '/api/password-reset', body: resetRequest, answer: 'nothing' },
  /** What a link from an email allows. */
  readLink: { method: 'POST', path: '/api/account-link', body: linkRequest, answer: linkAnswer },
  choosePassword: {
    method: 'POST',
    path: '/api/account-link/password',
    body: choosePasswordRequest,
    answer: emailAnswer,
  },
  /** Creates the first operator of a new installation. */
  setUp: { method: 'POST', path: '/api/set-up', body: setUpRequest, answer: emailAnswer },
});
