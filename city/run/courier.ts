// A simulated courier who uses only the courier page: goes on duty, reports positions, answers offers, rides from stop
// to stop and presses the button at each. Without a connection the courier keeps riding; the acts from that time are
// sent when the connection is back.
import { randomUUID } from 'node:crypto';
import {
  courierApi,
  type ActsAnswer,
  type CourierOffer,
  type CourierStop,
  type CourierWork,
} from '../../src/contract/panel/couriers/courier-page.ts';
import type { ActKind } from '../../src/domain/couriers/courier.ts';
import type { Place } from '../../src/domain/geo.ts';
import type { CancelReasonId } from '../../src/domain/orders/cancellation.ts';
import type { OrderState } from '../../src/domain/orders/order.ts';
import { formatUtc, MINUTE_MS, SECOND_MS, type Instant } from '../../src/domain/time.ts';
import { createChance, type Chance } from '../../harness/chance.ts';
import type { Browser, PanelAnswer } from '../../harness/service/panel-client.ts';
import type { CityOrder } from '../day/day.ts';
import { between, isSamePlace, rideSeconds } from '../day/map.ts';
import type { StagedCourier, World } from './world.ts';

interface Leg {
  from: Place;
  to: Place;
  leavesAt: Instant;
  arrivesAt: Instant;
}

interface QueuedAct {
  id: string;
  orderId: string;
  kind: ActKind;
  at: string;
}

const STATES: Partial<Record<ActKind, OrderState>> = { picked_up: 'ON_DELIVERY', delivered: 'DELIVERED' };

const ANSWER_SECONDS = { least: 4, more: 14 };
/** Well below the silence after which the planner considers a courier gone. */
const MAX_SILENCE_MS = 60 * SECOND_MS;
const MOVING_REPORT_MS = 15 * SECOND_MS;
/** Actual riding times vary around the estimate. */
const RIDE_PERCENT = { least: 92, more: 22 };

export class Courier {
  readonly #world: World;
  readonly #who: StagedCourier;
  readonly #chance: Chance;
  readonly #answerAt = new Map<string, Instant>();
  #offers: CourierOffer[] = [];
  #stops: CourierStop[] = [];
  #queued: QueuedAct[] = [];
  #place: Place;
  #leg: Leg | null = null;
  /** Until then, the courier is still busy at the last stop. */
  #freeAt: Instant = 0;
  #reportedAt = 0;
  #askedAt = 0;

  constructor(world: World, who: StagedCourier, number: number) {
    this.#world = world;
    this.#who = who;
    this.#place = who.profile.home;
    this.#chance = createChance(world.seed * 1_000 + number);
  }

  async work(): Promise<void> {
    const { clock, opensAt } = this.#world;
    const { onAtMs, offAtMs } = this.#who.profile;
    await this.#waitForShift(opensAt + onAtMs);
    if (this.#world.isOver) return;
    const from = clock.now();
    await this.#setDuty(true);
    const endsAt = opensAt + offAtMs;
    const isBusy = (): boolean => this.#stops.length + this.#offers.length + this.#queued.length > 0;
    while ((clock.now() < endsAt || isBusy()) && !this.#world.isOver) {
      const now = clock.now();
      const wakeAt = await this.#step(now);
      await clock.until(now < endsAt ? Math.min(wakeAt, endsAt) : wakeAt);
    }
    await this.#setDuty(false);
    this.#world.duties.push({ courierId: this.#who.id, from, to: clock.now() });
  }

  /** Returns early if the day ends before the shift begins. */
  async #waitForShift(at: Instant): Promise<void> {
    const { clock } = this.#world;
    while (clock.now() < at && !this.#world.isOver) await clock.until(Math.min(at, clock.now() + MINUTE_MS));
  }

  /** Returns when the next step is due. */
  async #step(now: Instant): Promise<Instant> {
    const { askEveryMs } = this.#world;
    this.#place = placeOn(this.#leg, now) ?? this.#place;
    const darkUntil = this.#darkUntil(now);
    if (darkUntil !== null) return Math.min(await this.#goOn(now, true), darkUntil);
    await this.#sendQueued();
    if (now - this.#reportedAt >= this.#reportEveryMs()) await this.#report(now);
    if (now - this.#askedAt >= askEveryMs) await this.#look(now);
    const answerAt = await this.#answerOffers();
    const actAt = await this.#goOn(now, false);
    return Math.min(actAt, answerAt, this.#askedAt + askEveryMs);
  }

  #darkUntil(now: Instant): Instant | null {
    const { dark } = this.#who.profile;
    const { opensAt } = this.#world;
    if (dark === null || now < opensAt + dark.fromMs || now >= opensAt + dark.toMs) return null;
    return opensAt + dark.toMs;
  }

  #reportEveryMs(): number {
    const { askEveryMs } = this.#world;
    const wantedMs = this.#leg === null ? MAX_SILENCE_MS : MOVING_REPORT_MS;
    return Math.min(MAX_SILENCE_MS, Math.max(wantedMs, 2 * askEveryMs));
  }

  async #report(now: Instant): Promise<void> {
    this.#reportedAt = now;
    const { ledger } = this.#world;
    await ledger.ask({ request: 'position', orderId: null }, () =>
      this.#who.browser.call(courierApi.reportPosition, { body: this.#place }),
    );
  }

  async #look(now: Instant): Promise<void> {
    this.#askedAt = now;
    const { ledger } = this.#world;
    const answer = await ledger.ask({ request: 'work', orderId: null }, () =>
      this.#who.browser.call(courierApi.readWork),
    );
    if (answer.status !== 200) throw new Error(`${this.#who.profile.name} cannot load their work: ${answer.status}`);
    const work = answer.body as CourierWork;
    this.#offers = work.offers;
    this.#stops = work.stops;
  }

  async #answerOffers(): Promise<Instant> {
    let nextAt = Infinity;
    for (const offer of this.#offers) {
      const now = this.#world.clock.now();
      // The same order may be offered again later.
      const key = `${offer.orderId} ${offer.expiresAt}`;
      const answerAt = this.#answerAt.get(key) ?? now + this.#draw(ANSWER_SECONDS) * SECOND_MS;
      this.#answerAt.set(key, answerAt);
      if (answerAt > now) nextAt = Math.min(nextAt, answerAt);
      else await this.#answer(offer, now);
    }
    return nextAt;
  }

  async #answer(offer: CourierOffer, now: Instant): Promise<void> {
    const { profile, browser } = this.#who;
    const { ledger, opensAt } = this.#world;
    const { orderId } = offer;
    this.#offers = this.#offers.filter((other) => other.orderId !== orderId);
    // Forces a reload before the next step, because the loaded work is older than this answer.
    this.#askedAt = 0;
    const about = { request: 'courier', orderId: this.#orderOf(orderId)?.id ?? null } as const;
    const isOver = now >= opensAt + profile.offAtMs;
    if (isOver || this.#chance.isTrue(profile.declineShare)) {
      const reason = isOver ? 'My shift is over' : 'Too far for me';
      await ledger.ask(about, () => browser.call(courierApi.decline, { params: { orderId }, body: { reason } }));
      return;
    }
    const answer = await ledger.ask(about, () => browser.call(courierApi.accept, { params: { orderId } }));
    if (answer.status === 200) {
      // If the food is already ready, the order is past ACCEPTED now.
      const { state } = answer.body as { state: OrderState };
      this.#world.write({ kind: 'changed', serviceOrderId: orderId, to: state });
    } else if (now < Date.parse(offer.expiresAt)) {
      const { clock } = this.#world;
      ledger.lostOffers.push({
        orderId,
        courier: profile.name,
        at: clock.now(),
        answer: JSON.stringify(answer.body),
      });
    }
  }

  /** Performs one action at the next stop if it is due; returns when the next action is due. */
  async #goOn(now: Instant, isDark: boolean): Promise<Instant> {
    const [stop] = this.#stops;
    const to = stop?.place.location;
    if (stop === undefined || to === undefined) {
      this.#leg = null;
      return Infinity;
    }
    const leg = this.#rideTo(to, now);
    if (now < leg.arrivesAt) return leg.arrivesAt;
    this.#place = to;
    const times = this.#world.day.stops[stop.kind === 'pickup' ? 'pickup' : 'dropoff'];
    if (stop.nextAct === 'arrived' || stop.nextAct === 'arrived_dropoff') {
      if (stop.disabledReason !== null) return Infinity;
      await this.#act(stop, leg.arrivesAt);
      return leg.arrivesAt + times.arrivingMs;
    }
    const handsOverAt = leg.arrivesAt + times.arrivingMs;
    if (now < handsOverAt) return handsOverAt;
    // The page shows whether the food is ready, but only with a connection.
    if (stop.disabledReason !== null || (isDark && stop.kind === 'pickup')) return Infinity;
    this.#freeAt = now + times.leavingMs;
    const cancellation = this.#orderOf(stop.orderId)?.cancellation;
    if (stop.kind === 'dropoff' && cancellation?.by === 'courier') {
      if (isDark) return Infinity;
      await this.#cancel(stop, cancellation.reasonId);
    } else await this.#act(stop, now);
    return now;
  }

  #rideTo(to: Place, now: Instant): Leg {
    if (this.#leg !== null && isSamePlace(this.#leg.to, to)) return this.#leg;
    const from = this.#place;
    const seconds = (rideSeconds(this.#who.profile.vehicle, from, to) * this.#draw(RIDE_PERCENT)) / 100;
    const leavesAt = isSamePlace(from, to) ? now : Math.max(now, this.#freeAt);
    this.#leg = { from, to, leavesAt, arrivesAt: leavesAt + Math.round(seconds * SECOND_MS) };
    return this.#leg;
  }

  async #act(stop: CourierStop, at: Instant): Promise<void> {
    const { orderId, nextAct } = stop;
    this.#queued.push({ id: randomUUID(), orderId, kind: nextAct, at: formatUtc(at) });
    this.#stops = nextStops(this.#stops, stop);
    if (this.#darkUntil(this.#world.clock.now()) === null) await this.#sendQueued();
  }

  /** Sends the acts one by one, as the page does. */
  async #sendQueued(): Promise<void> {
    for (const act of this.#queued.splice(0)) {
      const answer = await this.#send(act.orderId, (browser) =>
        browser.call(courierApi.reportActs, { body: { acts: [act] } }),
      );
      const [result] = (answer.body as ActsAnswer).results;
      this.#askedAt = 0;
      const to = STATES[act.kind];
      if (result?.outcome === 'applied' && to !== undefined) {
        this.#world.write({ kind: 'changed', serviceOrderId: act.orderId, to });
      }
    }
  }

  async #cancel({ orderId }: CourierStop, cancelReasonId: CancelReasonId): Promise<void> {
    this.#askedAt = 0;
    const answer = await this.#send(orderId, (browser) =>
      browser.call(courierApi.cancel, { params: { orderId }, body: { cancelReasonId } }),
    );
    if (answer.status === 200) this.#world.write({ kind: 'changed', serviceOrderId: orderId, to: 'CANCELED' });
  }

  #setDuty(onDuty: boolean): Promise<PanelAnswer> {
    return this.#send(null, (browser) => browser.call(courierApi.setDuty, { body: { onDuty } }));
  }

  #send(serviceOrderId: string | null, call: (browser: Browser) => Promise<PanelAnswer>): Promise<PanelAnswer> {
    const orderId = serviceOrderId === null ? null : (this.#orderOf(serviceOrderId)?.id ?? null);
    return this.#world.ledger.ask({ request: 'courier', orderId }, () => call(this.#who.browser));
  }

  #orderOf(serviceOrderId: string): CityOrder | undefined {
    return this.#world.placed.get(serviceOrderId);
  }

  #draw({ least, more }: { least: number; more: number }): number {
    return least + this.#chance.below(more);
  }
}

function placeOn(leg: Leg | null, now: Instant): Place | null {
  if (leg === null) return null;
  if (now >= leg.arrivesAt) return leg.to;
  return between(leg.from, leg.to, Math.max(0, (now - leg.leavesAt) / (leg.arrivesAt - leg.leavesAt)));
}

/** The stops that the page shows until the service has answered. */
function nextStops(stops: readonly CourierStop[], done: CourierStop): CourierStop[] {
  if (done.nextAct === 'arrived')
    return stops.map((stop) => (stop === done ? { ...stop, nextAct: 'picked_up' } : stop));
  if (done.nextAct === 'arrived_dropoff') {
    return stops.map((stop) => (stop === done ? { ...stop, nextAct: 'delivered' } : stop));
  }
  return stops.filter((stop) => stop !== done);
}
