// Requests and responses of a user's own account: password and second factor.
import { z } from 'zod';
import { declareRoutes } from '../routes.ts';
import { newPasswordField, passwordField } from './fields.ts';
import { secondFactorRequest } from './sign-in.ts';

export const changePasswordRequest = z.object({ currentPassword: passwordField, newPassword: newPasswordField });
export const passwordRequest = z.object({ password: passwordField });

/** Shown once. */
export const twoFactorAnswer = z.object({
  secret: z.string(),
  otpauthUri: z.string(),
  backupCodes: z.array(z.string()),
});
export type TwoFactorAnswer = z.infer<typeof twoFactorAnswer>;
export const backupCodesAnswer = z.object({ backupCodes: z.array(z.string()) });
export type BackupCodesAnswer = z.infer<typeof backupCodesAnswer>;

export const accountApi = declareRoutes({
  changePassword: { method: 'POST', path: '/api/session/password', body: changePasswordRequest, answer: 'nothing' },
  signOutEverywhere: { method: 'POST', path: '/api/session/everywhere', answer: 'nothing' },
  beginTwoFactor: {
    method: 'POST',
    path: '/api/session/two-factor',
    body: passwordRequest,
    answer: twoFactorAnswer,
  },
  confirmTwoFactor: {
    method: 'POST',
    path: '/api/session/two-factor/confirm',
    body: secondFactorRequest,
    answer: 'nothing',
  },
  endTwoFactor: {
    method: 'POST',
    path: '/api/session/two-factor/disable',
    body: passwordRequest,
    answer: 'nothing',
  },
  renewBackupCodes: {
    method: 'POST',
    path: '/api/session/two-factor/backup-codes',
    body: passwordRequest,
    answer: backupCodesAnswer,
  },
});
