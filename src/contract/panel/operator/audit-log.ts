// The audit log, and the settings of the running service.
import { z } from 'zod';
import { sentTime } from '../../validation/sent-time.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');

export const auditQuery = z.object({
  actor: z.string().trim().max(254).default(''),
  action: z.string().trim().max(100).default('').describe('Prefix of the action, such as `user.`'),
  restaurantId: z.uuid().optional(),
  from: sentTime.optional(),
  until: sentTime.optional(),
  before: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
});

const auditEntry = z.object({
  id: z.number(),
  at: time,
  actor: z.string(),
  clientAddress: z.string().nullable().describe('Of who sent the request; null for the command line and workers'),
  restaurant: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  action: z.string(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
export type AuditEntryView = z.infer<typeof auditEntry>;

/** Newest first. A page may be empty although there is a next one, because each request searches a bounded range. */
export const auditAnswer = z.object({ entries: z.array(auditEntry), next: z.number().nullable() });
export type AuditAnswer = z.infer<typeof auditAnswer>;

const setting = z.object({
  name: z.string(),
  sentence: z.string(),
  isSecret: z.boolean(),
  isSet: z.boolean(),
  value: z.string().nullable().describe('Null when it is not set, and always for a secret'),
  defaultText: z.string().nullable(),
  fileVariable: z.string().nullable().describe('Of a secret: the variable that names a file with the value'),
});
export type SettingView = z.infer<typeof setting>;

export const settingsAnswer = z.object({ settings: z.array(setting) });
export type SettingsAnswer = z.infer<typeof settingsAnswer>;

export const auditLogApi = declareRoutes({
  search: { method: 'GET', path: '/api/operator/audit', query: auditQuery, answer: auditAnswer },
  readSettings: { method: 'GET', path: '/api/operator/settings', answer: settingsAnswer },
});
