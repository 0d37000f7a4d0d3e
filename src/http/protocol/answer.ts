// What a handler returns: a value, serialized in one place.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { REFUSAL_STATUS } from '../../contract/refusal-status.ts';
import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import type { Log } from '../../platform.ts';
import { DatabaseUnavailable } from '../../store/database/database.ts';
import { problemBody, problemHeaders } from './problems.ts';

export interface GoodAnswer<Content extends object = object> {
  kind: 'ok';
  status: 200 | 201 | 503;
  body: string;
  /** Never set: lets the compiler compare what `body` contains with what the route declares. */
  content?: Content;
  contentType?: string;
  headers?: Record<string, string | string[]>;
}

export type Answer<Content extends object = object> = GoodAnswer<Content> | Refused;

const JSON_TYPE = 'application/json; charset=utf-8';

/** `NoInfer`: the content is checked against what the caller must return instead of deciding its type. */
export function ok<Content extends object>(
  content: NoInfer<Content>,
  status: GoodAnswer['status'] = 200,
): GoodAnswer<Content> {
  return { kind: 'ok', status, body: JSON.stringify(content) };
}

export function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
  if (answer.kind === 'ok') {
    if (answer.headers !== undefined) reply.headers(answer.headers);
    reply
      .code(answer.status)
      .header('content-type', answer.contentType ?? JSON_TYPE)
      .send(answer.body);
    return;
  }
  const { code } = answer.refusal;
  request.context.code = code;
  const headers = problemHeaders(answer.refusal);
  if (headers !== undefined) reply.headers(headers);
  reply.code(REFUSAL_STATUS[code]).header('content-type', JSON_TYPE).send(problemBody(answer.refusal, request.id));
}

/** For any thrown error: the caller learns that a retry is safe, and the details go to the log. */
export function answerFailure(error: unknown, context: { requestId: string; log: Log }): Answer {
  const { requestId, log } = context;
  if (error instanceof DatabaseUnavailable) {
    log.warn({ event: 'http.unavailable', requestId, reason: error.message });
    return refused(refuse('SRV_001'));
  }
  log.error({ event: 'http.failed', requestId, err: error });
  return refused(refuse('SRV_002'));
}
