// Fields that people type to sign in, shared by the requests.
import { z } from 'zod';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../domain/people/roles.ts';

export const emailField = z.string().trim().min(3).max(254);
export const nameField = z.string().trim().max(100);
/** An existing password, compared as typed. */
export const passwordField = z.string().min(1).max(1_000);
export const newPasswordField = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `Use at least ${MIN_PASSWORD_LENGTH} characters`)
  .max(MAX_PASSWORD_LENGTH, `Use at most ${MAX_PASSWORD_LENGTH} characters`);
