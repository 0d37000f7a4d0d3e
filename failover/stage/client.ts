// One request as an integrator or a page sends it, timed and logged before anyone acts on its answer.
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { BALANCER_CODE } from '../cluster/balancers.ts';
import { monotonicNow, type AnswerLine, type RequestKind } from './answers.ts';

export interface Ask {
  kind: RequestKind;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  isRepeat: boolean;
}

export interface Reply {
  /** 0 if there was no answer. */
  status: number;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  failure?: string;
}

/** Longer than any answer may take, so that lateness is seen. */
const PATIENCE_MS = 15_000;

export class HttpClient {
  readonly #port: number;
  readonly #write: (line: AnswerLine) => void;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  #sent = 0;

  constructor(port: number, write: (line: AnswerLine) => void) {
    this.#port = port;
    this.#write = write;
  }

  /** `onReply` writes to the history; it runs before the answer is logged. */
  async ask(asked: Ask, onReply: (reply: Reply) => void = () => undefined): Promise<Reply> {
    const at = monotonicNow();
    const reply = await this.#send(asked).catch(describeFailure);
    const tookMs = monotonicNow() - at;
    const { status, headers, body, failure } = reply;
    onReply(reply);
    this.#write({
      kind: asked.kind,
      at,
      tookMs: Math.round(tookMs),
      status,
      ...(failure !== undefined && { failure }),
      hasRetryAfter: headers['retry-after'] !== undefined,
      isFromBalancer: body['code'] === BALANCER_CODE,
      isRepeat: asked.isRepeat,
      isIntake: asked.kind === 'order' && (status === 201 || status === 200),
    });
    return reply;
  }

  async #send({ method, path, headers, body }: Ask): Promise<Reply> {
    this.#sent += 1;
    // Half of the requests use a new connection.
    const agent = this.#sent % 2 === 0 ? this.#agent : false;
    const sent = request({ host: '127.0.0.1', port: this.#port, method, path, headers, agent });
    // Also after the answer has begun, when nothing else listens.
    sent.on('error', () => undefined);
    const timer = setTimeout(() => sent.destroy(new Error('No answer')), PATIENCE_MS);
    try {
      sent.end(body === undefined ? undefined : JSON.stringify(body));
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
      return {
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
      };
    } finally {
      clearTimeout(timer);
    }
  }
}

function describeFailure(error: unknown): Reply {
  const failure = error instanceof Error ? error.message : String(error);
  return { status: 0, headers: {}, body: {}, failure };
}
