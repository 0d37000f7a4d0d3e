// How long clients waited for the service, recorded by the clients, in real milliseconds.
import { setTimeout as pause } from 'node:timers/promises';
import type { Instant } from '../../src/domain/time.ts';

export type Request = 'order' | 'kitchen' | 'courier' | 'position' | 'work';

export interface Wait {
  request: Request;
  /** The integrator's order id, if the request concerns an order. */
  orderId: string | null;
  tookMs: number;
}

/** An offer that was accepted before it expired, but refused by the service. */
export interface LostOffer {
  orderId: string;
  courier: string;
  /** When the service refused it, in city time. */
  at: Instant;
  answer: string;
}

const RETRY_AFTER_MS = 100;
const MAX_TRIES = 50;

export class Ledger {
  readonly waits: Wait[] = [];
  readonly lostOffers: LostOffer[] = [];
  /** Failures that a working service should never produce. */
  readonly complaints: string[] = [];

  /** Counts the whole time until a valid response as one wait, including retries. */
  async ask<Answer extends { status: number }>(
    about: Pick<Wait, 'request' | 'orderId'>,
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    const startedMs = performance.now();
    const answer = await insist(send, (reason) =>
      this.complaints.push(`${about.request} ${about.orderId ?? ''}: ${reason}`),
    );
    this.waits.push({ ...about, tookMs: performance.now() - startedMs });
    return answer;
  }
}

/** Retries until there is a valid response; connection errors, 5xx and 429 are retried. */
export async function insist<Answer extends { status: number }>(
  send: () => Promise<Answer>,
  onFailure: (reason: string) => void = () => undefined,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send().catch((error: unknown) => String(error));
    if (typeof answer !== 'string' && answer.status < 500 && answer.status !== 429) return answer;
    const reason = typeof answer === 'string' ? answer : `status ${answer.status}`;
    onFailure(reason);
    if (tries === MAX_TRIES) throw new Error(`The service does not respond: ${reason}`);
    await pause(RETRY_AFTER_MS);
  }
}
