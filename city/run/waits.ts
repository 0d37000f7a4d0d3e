// What the outside of the service waited for it, noted by whoever waited. In milliseconds of the world.
import { setTimeout as pause } from 'node:timers/promises';
import type { Instant } from '../../src/domain/time.ts';

export type Request = 'order' | 'kitchen' | 'courier' | 'position' | 'work';

export interface Wait {
  request: Request;
  /** The integrator's id of the order, where it is about one. */
  orderId: string | null;
  tookMs: number;
}

/** An offer that was accepted before its time was up, and refused all the same. */
export interface LostOffer {
  orderId: string;
  courier: string;
  /** When it was refused, in the city. */
  at: Instant;
  answer: string;
}

const RETRY_AFTER_MS = 100;
const MOST_TRIES = 50;

export class Ledger {
  readonly waits: Wait[] = [];
  readonly lostOffers: LostOffer[] = [];
  /** What nobody expects of a service that works. */
  readonly complaints: string[] = [];

  /** The whole time until there is an answer counts as one wait. */
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

/** Asks until there is an answer that is one; a cut connection, a server's error and a 429 are none. */
export async function insist<Answer extends { status: number }>(
  send: () => Promise<Answer>,
  onFailure: (reason: string) => void = () => undefined,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send().catch((error: unknown) => String(error));
    if (typeof answer !== 'string' && answer.status < 500 && answer.status !== 429) return answer;
    const reason = typeof answer === 'string' ? answer : `status ${answer.status}`;
    onFailure(reason);
    if (tries === MOST_TRIES) throw new Error(`The service does not answer: ${reason}`);
    await pause(RETRY_AFTER_MS);
  }
}
