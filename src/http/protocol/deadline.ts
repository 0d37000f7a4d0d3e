// One deadline for everything that a request waits for in the service, over all tries. Work that is late is not stopped:
// its outcome is unknown to the client, who repeats the request.
import type { Clock } from '../../platform.ts';
import { DatabaseUnavailable } from '../../store/database/database.ts';

export interface Deadline {
  /** Fails when the time is used up before the work is done. */
  limit<Result>(work: Promise<Result>): Promise<Result>;
  /** Waiting for the client does not count: reading a body has a time limit of its own. */
  pauseFor<Result>(work: Promise<Result>): Promise<Result>;
}

export function createDeadline(clock: Pick<Clock, 'monotonicMs'>, limitMs: number): Deadline {
  return new RequestDeadline(clock, limitMs);
}

/** Every request has one, so it uses a single timer, which a pause does not touch: it is set again when it fires early. */
class RequestDeadline implements Deadline {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #limitMs: number;
  #dueMs = 0;
  #pauses = 0;
  #pausedSinceMs = 0;
  /** Undefined if it fired during a pause. */
  #timer: NodeJS.Timeout | undefined;
  #fail: (error: Error) => void = () => undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  limit<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#dueMs = this.#clock.monotonicMs() + this.#limitMs;
      this.#setTimer(this.#limitMs);
      work.then(
        (result) => {
          clearTimeout(this.#timer);
          return resolve(result);
        },
        (error: unknown) => {
          clearTimeout(this.#timer);
          return reject(error);
        },
      );
    });
  }

  async pauseFor<Result>(work: Promise<Result>): Promise<Result> {
    if (this.#pauses === 0) this.#pausedSinceMs = this.#clock.monotonicMs();
    this.#pauses += 1;
    try {
      return await work;
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#resume();
    }
  }

  #resume(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#dueMs += nowMs - this.#pausedSinceMs;
    if (this.#timer === undefined) this.#setTimer(this.#dueMs - nowMs);
  }

  #setTimer(ms: number): void {
    this.#timer = setTimeout(RequestDeadline.#onTimer, ms, this);
  }

  static #onTimer(this: void, deadline: RequestDeadline): void {
    deadline.#timer = undefined;
    if (deadline.#pauses > 0) return;
    const leftMs = deadline.#dueMs - deadline.#clock.monotonicMs();
    if (leftMs > 0) deadline.#setTimer(leftMs);
    else deadline.#fail(new DatabaseUnavailable(`not done within ${deadline.#limitMs} ms`));
  }
}
