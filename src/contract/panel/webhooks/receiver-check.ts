// The check of a receiver streams one line of JSON for the start, each case and the end.
import { z } from 'zod';
import { ENDPOINT_KINDS } from '../../../domain/webhooks/events.ts';
import { CHECK_CASES, FINDINGS, VERDICTS } from '../../../domain/webhooks/receiver-check.ts';
import { declareRoutes } from '../routes.ts';

export const receiverCheckRequest = z.object({ endpoint: z.enum(ENDPOINT_KINDS) });
export type ReceiverCheckRequest = z.infer<typeof receiverCheckRequest>;

const caseResult = z.object({
  kind: z.literal('case'),
  name: z.enum(CHECK_CASES),
  verdict: z.enum(VERDICTS),
  finding: z.enum(FINDINGS),
  /** Status of the deciding response; null if there was none. */
  status: z.number().nullable(),
  slowestMs: z.number().nullable(),
  errorText: z.string().nullable(),
  answer: z.string().nullable().describe('The first 1 KiB as plain text'),
  /** The first request as it was sent; null if none was sent. */
  sent: z.object({ headers: z.record(z.string(), z.string()), body: z.string() }).nullable(),
});
export type ReceiverCheckCase = z.infer<typeof caseResult>;

export const receiverCheckLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('begun'), url: z.string(), cases: z.array(z.enum(CHECK_CASES)) }),
  caseResult,
  z.object({ kind: z.literal('done') }),
]);
export type ReceiverCheckLine = z.infer<typeof receiverCheckLine>;

export const receiverCheckApi = declareRoutes({
  run: {
    method: 'POST',
    path: '/api/webhooks/receiver-check',
    body: receiverCheckRequest,
    answer: { lines: receiverCheckLine },
  },
});
