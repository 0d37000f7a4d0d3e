// What is unknown after the database was restored to an earlier point in time.
import { z } from 'zod';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');

export const restoreNoticeAnswer = z.object({
  notice: z
    .object({
      epochId: z.uuid(),
      cause: z.enum(['restored', 'recovered']),
      startedAt: time,
      dataUntil: time.describe('The point in time that the data was restored to'),
      unknowns: z.array(z.string()),
    })
    .nullable()
    .describe('Null when there is none, or an operator has dismissed it'),
});
export type RestoreNoticeAnswer = z.infer<typeof restoreNoticeAnswer>;

export const restoreNoticeApi = declareRoutes({
  read: { method: 'GET', path: '/api/operator/restore-notice', answer: restoreNoticeAnswer },
  dismiss: { method: 'POST', path: '/api/operator/restore-notice/:epochId/dismiss', answer: 'nothing' },
});
