// One attempt: at most one request on the wire, one deadline over everything, one outcome.
//
// It implements exchange, dial listener and waiter itself, so that thousands per second cost one object each. Phases:
//
// - `waiting`: it has neither a connection nor a slot for one. Its deadline has not started, because it waits only for
//   our own limits. Its turn moves it to `reusing` if an idle connection is left, else to `dialing`, and starts the
//   deadline. It settles from here when the sender closes or the lease is lost.
// - `dialing`: it holds a slot and a connection is being opened. Moves to `exchanging` when that is ready.
// - `exchanging`: its request is on a connection that served no other before. Any result settles it.
// - `reusing`: its request is on a connection that has served others. The same, with one exception: if the receiver
//   closed the connection without a byte of an answer, the attempt moves to `redialing`.
// - `redialing`: it waits for a slot again, with its deadline running and ahead of those that have not started. It
//   accepts only a new connection, so it moves to `dialing` and can get here only once.
// - `settled`: the outcome is reported and final. The deadline moves every phase but `waiting` here.
import type { Clock } from '../../platform.ts';
import { toAnswerText, toRetryAfterText } from '../wire/answer-text.ts';
import {
  badStatus,
  CLOSED_EARLY,
  NOT_HTTP,
  NOT_WRITABLE,
  SENDER_CLOSED,
  timedOut,
  tlsFailed,
  TOO_MUCH_BEFORE_ANSWER,
  WITHDRAWN,
  type AttemptFailure,
} from '../dial/attempt-failure.ts';
import type { AttemptOutcome, AttemptRequest } from './attempt-outcome.ts';
import { Dial, type DialDeps, type Dialed, type DialListener } from '../dial/connect.ts';
import { Connection, type Exchange } from '../wire/connection.ts';
import type { ConnectionPool } from '../wire/connection-pool.ts';
import type { Share, Waiter } from '../wire/origins.ts';
import { toWireRequest, type WireRequest } from '../wire/request.ts';

/** The body never decides the outcome, so it gets little extra time once the status is known. */
const BODY_GRACE_MS = 250;

export interface AttemptDeps extends DialDeps {
  clock: Clock;
  pool: ConnectionPool;
  deadlineMs: number;
  isClosing(): boolean;
  onSettled(): void;
}

export interface Target {
  share: Share;
  /** The common beginning of every request to it. */
  opening: string;
}

type Phase = 'waiting' | 'dialing' | 'exchanging' | 'reusing' | 'redialing' | 'settled';

export class Attempt implements Exchange, DialListener, Waiter {
  readonly #deps: AttemptDeps;
  readonly #share: Share;
  readonly #request: WireRequest | null;
  readonly #mayBegin: (() => boolean) | undefined;
  #resolve: (outcome: AttemptOutcome) => void = ignore;

  #phase: Phase = 'waiting';
  #startedAt = 0;
  #startedMs = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the request was written twice: on a connection that was closed, and on the next one. */
  #isResent = false;

  #dial: Dial | null = null;
  #connection: Connection | null = null;
  #remoteAddress: string | null = null;
  #status: number | null = null;
  #firstByteMs: number | null = null;
  #retryAfter: string | null = null;

  constructor(deps: AttemptDeps, target: Target, request: AttemptRequest) {
    this.#deps = deps;
    this.#share = target.share;
    this.#mayBegin = request.mayBegin;
    this.#request = toWireRequest(target.opening, request);
  }

  run(): Promise<AttemptOutcome> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.onTurn();
    });
  }

  /** Started but without a connection, because the receiver closed the one it had. */
  get isUrgent(): boolean {
    return this.#phase !== 'waiting';
  }

  onTurn(): boolean {
    const phase = this.#phase;
    if (phase === 'settled') return false;
    const { pool, clock } = this.#deps;
    if (this.#deps.isClosing() && phase === 'waiting') {
      this.#settle(SENDER_CLOSED, false);
      return false;
    }
    if (this.#mayBegin?.() === false) {
      this.#settle(WITHDRAWN, false);
      return false;
    }
    const nowMs = clock.monotonicMs();
    const idle = phase === 'redialing' ? undefined : pool.takeIdle(this.#share, this);
    if (idle === undefined && !pool.takeSlot(this.#share, this)) {
      pool.wait(this.#share, this);
      return true;
    }
    if (phase === 'waiting') this.#startDeadline(nowMs);
    if (idle === undefined) this.#dialFresh();
    else this.#sendOn(idle);
    return true;
  }

  /** The 5 seconds start once there is a connection or a slot for one: waiting for our own limits must not count. */
  #startDeadline(nowMs: number): void {
    this.#startedAt = this.#deps.clock.now();
    this.#startedMs = nowMs;
    this.#timer = setTimeout(endAttempt, this.#deps.deadlineMs, this);
  }

  #dialFresh(): void {
    this.#phase = 'dialing';
    this.#dial = new Dial(this.#deps, this.#share.origin, this);
    this.#dial.start();
  }

  onDialFailed(failure: AttemptFailure): void {
    this.#settle(failure, false);
  }

  onDialed({ socket, reading, remoteAddress }: Dialed): void {
    const { pool, clock } = this.#deps;
    const { origin } = this.#share;
    const usedUntilMs = clock.monotonicMs() + pool.nextLifeMs();
    const connection = new Connection(socket, { reading, remoteAddress, usedUntilMs, clock });
    connection.onClosed(() => pool.drop(origin, connection));
    pool.noteDialed(origin);
    this.#sendOn(connection);
  }

  #sendOn(connection: Connection): void {
    this.#connection = connection;
    this.#remoteAddress = connection.remoteAddress;
    this.#phase = connection.requestCount > 0 ? 'reusing' : 'exchanging';
    if (this.#request === null) this.#settle(NOT_WRITABLE, false);
    else connection.send(this.#request, this);
  }

  /** Checked again right before writing, because dialing takes time and a process may be frozen at any moment. */
  onWrite(): boolean {
    if (this.#mayBegin?.() !== false) return true;
    this.#settle(WITHDRAWN, false);
    return false;
  }

  onHead(): void {
    const answer = this.#connection?.answer;
    if (answer === undefined) return;
    const elapsedMs = this.#deps.clock.monotonicMs() - this.#startedMs;
    this.#firstByteMs = elapsedMs;
    // The timer may be late when the process is busy; an answer after the deadline must not count even then.
    if (elapsedMs > this.#deps.deadlineMs) {
      this.#settle(timedOut(this.#deps.deadlineMs), false);
      return;
    }
    this.#status = answer.status;
    this.#retryAfter = toRetryAfterText(answer.head?.retryAfter ?? null);
    // Most bodies end in the same packet; setting another timer is worth it only for the others.
    process.nextTick(limitBody, this);
  }

  onWhole(): void {
    this.#settleByStatus(this.#connection?.isKept ?? false);
  }

  onUnreadable(): void {
    if (this.#settleByStatus(false)) return;
    this.#settle(this.#connection?.answer.status === 0 ? NOT_HTTP : TOO_MUCH_BEFORE_ANSWER, false);
  }

  onClosed(): void {
    if (this.#settleByStatus(false)) return;
    const connection = this.#connection;
    const tlsError = connection?.tlsError ?? null;
    // No byte received means that the receiver closed an idle connection; anything else may have been an answer.
    if (this.#phase === 'reusing' && connection?.answer.byteCount === 0) this.#sendAgain(connection);
    // With TLS 1.3 the receiver rejects a client only after the handshake, in place of an answer.
    else this.#settle(tlsError === null ? CLOSED_EARLY : tlsFailed(tlsError), false);
  }

  #sendAgain(gone: Connection): void {
    this.#phase = 'redialing';
    this.#isResent = gone.isWritten;
    this.#connection = null;
    this.#deps.pool.leave(this.#share, this);
    gone.destroy();
    this.onTurn();
  }

  onDeadline(): void {
    if (this.#phase !== 'settled' && !this.#settleByStatus(false)) this.#settle(timedOut(this.#deps.deadlineMs), false);
  }

  limitBody(): void {
    if (this.#phase === 'settled') return;
    const leftMs = this.#startedMs + this.#deps.deadlineMs - this.#deps.clock.monotonicMs();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(endAttempt, Math.min(BODY_GRACE_MS, Math.max(leftMs, 1)), this);
  }

  /** False if there is no status yet. The status line counts even if the headers after it never end. */
  #settleByStatus(isWhole: boolean): boolean {
    if (this.#status === null) {
      const seen = this.#connection?.answer.status ?? 0;
      if (seen === 0) return false;
      this.#status = seen;
    }
    const isSuccess = this.#status >= 200 && this.#status <= 299;
    this.#settle(isSuccess ? null : badStatus(this.#status), isWhole);
    return true;
  }

  #settle(failure: AttemptFailure | null, keepConnection: boolean): void {
    const phase = this.#phase;
    this.#phase = 'settled';
    clearTimeout(this.#timer);
    const { clock, pool } = this.#deps;
    const { origin } = this.#share;
    const isStarted = phase !== 'waiting';
    if (isStarted && failure !== WITHDRAWN) this.#share.isSilent = this.#status === null;
    pool.leave(this.#share, this);
    if (phase === 'dialing') {
      this.#remoteAddress = this.#dial?.remoteAddress ?? null;
      this.#dial?.cancel();
      origin.isUnreachable = true;
      pool.giveUp(origin);
    }
    const connection = this.#connection;
    this.#connection = null;
    const body = connection?.answer.body ?? null;
    if (connection !== null && keepConnection) pool.giveBack(origin, connection);
    else connection?.destroy();
    this.#deps.onSettled();
    const endedAt = clock.now();
    this.#resolve({
      ok: failure === null,
      startedAt: isStarted ? this.#startedAt : endedAt,
      endedAt,
      status: this.#status,
      errorClass: failure === null ? null : failure.errorClass,
      errorText: failure === null ? null : failure.errorText,
      retryAfter: this.#retryAfter,
      answer: body === null ? null : toAnswerText(body),
      remoteAddress: this.#remoteAddress,
      reusedConnection: phase === 'reusing',
      resent: this.#isResent,
      dnsMs: this.#dial === null ? null : this.#dial.dnsMs,
      connectMs: this.#dial === null ? null : this.#dial.connectMs,
      tlsMs: this.#dial === null ? null : this.#dial.tlsMs,
      firstByteMs: this.#firstByteMs,
      totalMs: isStarted ? clock.monotonicMs() - this.#startedMs : 0,
    });
  }
}

// Plain functions with an argument instead of closures: one function serves all attempts.
function endAttempt(attempt: Attempt): void {
  attempt.onDeadline();
}

function limitBody(attempt: Attempt): void {
  attempt.limitBody();
}

function ignore(): void {}
