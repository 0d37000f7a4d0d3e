// Observes a simulated run from outside the nodes and reports every violation.
import { HOUR_MS, MINUTE_MS } from '../../src/domain/time.ts';
import type { Owner, Timeline } from './timeline.ts';

export interface WatchedEvent {
  eventId: string;
  orderId: string;
  restaurantId: string;
  endpoint: string;
  version: number;
  body: string;
  isForHealthyEndpoint: boolean;
}

interface Story extends WatchedEvent {
  bornAtMs: number;
  hasBegun: boolean;
  processedAtMs: number | null;
  isDone: boolean;
  /** The next attempt must not start before this. */
  notBefore: Moment;
  /** The end of each attempt, keyed by the wall clock. */
  ends: Map<number, Moment>;
  failures: number;
  /** Start of an attempt whose result is not recorded yet. */
  unrecordedSince: Moment | null;
}

/** Simulated time without the clock steps, and how far the wall clock had been set forward in total by then. */
interface Moment {
  trueMs: number;
  forwardMs: number;
}

interface Flight {
  story: Story;
  owner: Owner;
  /** By then the receiver has timed out, even if the sending node is frozen. */
  endsAtMs: number;
}

// From contract 6.4, repeated here so that the check does not depend on the code.
const LADDER_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];
const MAX_FLIGHT_MS = 5_000;

export class Watch {
  readonly violations: string[] = [];
  attempts = 0;
  duplicates = 0;
  #timeline: Timeline;
  #boundMs: number;
  #stories = new Map<string, Story>();
  #byId = new Map<string, Story>();
  #newestBegun = new Map<string, number>();
  #flights = new Map<string, Flight>();
  #disturbedUntilMs = 0;
  #forwardMs = 0;
  #backMs = 0;

  constructor(timeline: Timeline, boundMs: number) {
    this.#timeline = timeline;
    this.#boundMs = boundMs;
  }

  /** Deliveries are not expected in time until then. */
  disturbUntil(ms: number): void {
    this.#disturbedUntilMs = Math.max(this.#disturbedUntilMs, ms);
  }

  clockStepped(stepMs: number): void {
    if (stepMs < 0) this.#backMs -= stepMs;
    else this.#forwardMs += stepMs;
    this.disturbUntil(this.#timeline.nowMs);
  }

  get #now(): Moment {
    return { trueMs: this.#timeline.wall - this.#forwardMs + this.#backMs, forwardMs: this.#forwardMs };
  }

  committed(event: WatchedEvent): void {
    const story: Story = {
      ...event,
      bornAtMs: this.#timeline.nowMs,
      hasBegun: false,
      processedAtMs: null,
      isDone: false,
      notBefore: { trueMs: 0, forwardMs: 0 },
      ends: new Map(),
      failures: 0,
      unrecordedSince: null,
    };
    this.#stories.set(event.body, story);
    this.#byId.set(event.eventId, story);
  }

  begin(body: string, owner: Owner): void {
    this.attempts += 1;
    const { nowMs } = this.#timeline;
    const story = this.#stories.get(body);
    if (story === undefined) return this.#say(`${body} was sent but never committed`);
    const lane = `${story.orderId}/${story.endpoint}`;
    const flight = this.#flights.get(lane);
    if (flight !== undefined && flight.endsAtMs > nowMs && !flight.owner.isDead) {
      this.#say(`${body} started while ${flight.story.body} was in flight`);
    }
    if (story.isDone) this.#say(`${body} was sent again after its success was recorded`);
    const earlyMs = howEarly(this.#now, story.notBefore);
    if (earlyMs > 0) this.#say(`${body} was sent ${earlyMs} ms early`);
    const { unrecordedSince } = story;
    if (unrecordedSince !== null) {
      const notBefore = { ...unrecordedSince, trueMs: unrecordedSince.trueMs + waitAfter(story.failures) };
      const lostMs = howEarly(this.#now, notBefore);
      if (lostMs > 0) this.#say(`${body} was repeated ${lostMs} ms early after an attempt without a record`);
    }
    story.unrecordedSince = this.#now;
    const newest = this.#newestBegun.get(lane) ?? 0;
    if (!story.hasBegun && story.version < newest) this.#say(`${body} first left after version ${newest}`);
    story.hasBegun = true;
    this.#newestBegun.set(lane, Math.max(newest, story.version));
    this.#flights.set(lane, { story, owner, endsAtMs: nowMs + MAX_FLIGHT_MS });
  }

  end(body: string, owner: Owner): void {
    const story = this.#stories.get(body);
    if (story === undefined) return;
    story.ends.set(this.#timeline.wall, this.#now);
    const lane = `${story.orderId}/${story.endpoint}`;
    const flight = this.#flights.get(lane);
    if (flight?.story === story && flight.owner === owner) this.#flights.delete(lane);
  }

  /** A receiver has processed the webhook. */
  process(body: string): void {
    const story = this.#stories.get(body);
    if (story === undefined) return;
    if (story.processedAtMs !== null) {
      this.duplicates += 1;
      return;
    }
    story.processedAtMs = this.#timeline.nowMs;
    const waitedMs = story.processedAtMs - Math.max(story.bornAtMs, this.#disturbedUntilMs);
    if (story.isForHealthyEndpoint && waitedMs > this.#boundMs) {
      this.#say(`${body} reached a healthy endpoint only after ${Math.round(waitedMs)} ms`);
    }
  }

  /** Called for each result that the store accepts. */
  recorded(record: { eventId: string; delivered: boolean; endedAt: number }): void {
    const story = this.#byId.get(record.eventId);
    if (story === undefined) return this.#say(`an attempt of the unknown event ${record.eventId} was recorded`);
    if (story.isDone) this.#say(`${story.body} was recorded again after its success`);
    story.unrecordedSince = null;
    if (record.delivered) {
      story.isDone = true;
      if (story.processedAtMs === null) this.#say(`${story.body} was recorded as delivered but never arrived`);
      return;
    }
    const ended = story.ends.get(record.endedAt);
    if (ended === undefined) return this.#say(`${story.body} was recorded as failed at a time when no attempt ended`);
    story.notBefore = { ...ended, trueMs: ended.trueMs + waitAfter(story.failures) };
    story.failures += 1;
  }

  /** Its node is dead and its endpoint works, so the delivery is due immediately, whether or not it was attempted. */
  freed(eventId: string): void {
    const story = this.#byId.get(eventId);
    if (story !== undefined) story.unrecordedSince = null;
  }

  /** Called at the end of the run. */
  finish(queued: ReadonlySet<string>): void {
    for (const story of this.#stories.values()) {
      if (story.processedAtMs === null && !queued.has(story.eventId)) this.#say(`${story.body} is lost`);
    }
  }

  listUnderWay(): readonly Flight[] {
    return [...this.#flights.values()].filter(
      (flight) => flight.endsAtMs > this.#timeline.nowMs && !flight.owner.isDead,
    );
  }

  complain(text: string): void {
    this.#say(text);
  }

  #say(text: string): void {
    if (this.violations.length < 20) this.violations.push(`at ${Math.round(this.#timeline.nowMs)} ms: ${text}`);
  }
}

function waitAfter(failures: number): number {
  return LADDER_MS[failures] ?? 24 * HOUR_MS;
}

/** Setting the clock forward makes deliveries due earlier, which is accepted. Setting it back makes nothing due. */
function howEarly(now: Moment, notBefore: Moment): number {
  return notBefore.trueMs - now.trueMs - (now.forwardMs - notBefore.forwardMs);
}
