// What the checks read after a run: the client and receiver histories, and the tables.
import type { Queryable } from '../../src/store/database/database.ts';
import type { ClockSpeed } from '../clocks/fast-clock.ts';
import { readHistory, type ClientLine, type ReceiverLine } from '../history.ts';
import type { Temper } from '../receivers/receivers-process.ts';

export interface OrderRow {
  id: string;
  restaurantId: string;
  providerOrderId: string;
  state: string;
  version: number;
}

export interface EventRow {
  id: string;
  orderId: string;
  version: number;
  type: string;
  from: string;
  to: string;
  body: string;
  /** Not yet delivered. */
  isQueued: boolean;
  /** Number of attempts in the log. */
  attempts: number;
  /** When the successful attempt in the log ended, on the service's clock. */
  deliveredAt: number | null;
}

/** One request at a receiver, and its response if there was one. */
export interface Arrival {
  at: number;
  receiver: string;
  endpoint: string;
  signature: string | null;
  body: string;
  answeredAt: number | null;
  status: number | null;
}

export interface EvidenceReceiver {
  name: string;
  /** The service's id of the restaurant; `restaurantId` is the integrator's. */
  id: string;
  restaurantId: string;
  secret: string;
  /** Accepts everything within the five-second timeout. */
  answersWell: boolean;
}

export interface Evidence {
  clients: ClientLine[];
  arrivals: Arrival[];
  orders: OrderRow[];
  events: EventRow[];
  receivers: EvidenceReceiver[];
  crashes: readonly string[];
  /** How much faster the service's wall clock ran, and from when on. */
  clockSpeed: ClockSpeed;
  clockSteps: readonly ClockStep[];
  orderlyStops: readonly Span[];
  /** Whether well-behaved receivers got everything soon after the last fault. */
  isDrained: boolean;
}

/** In real time. */
export interface Span {
  from: number;
  to: number;
}

/** The span within which the wall clock of every process was set forward or back. */
export interface ClockStep extends Span {
  byMs: number;
}

/** Where a run stored its records. A city day is checked the same way. */
export interface Scene extends Pick<Evidence, 'crashes' | 'clockSteps'>, Partial<Pick<Evidence, 'orderlyStops'>> {
  admin: { db: Queryable };
  clientFile: string;
  receiverFile: string;
  receivers: readonly (Omit<EvidenceReceiver, 'secret' | 'answersWell'> & {
    secret: string | undefined;
    temper?: Temper;
  })[];
  clockSpeed: { factor: number; since?: number };
}

export async function gatherEvidence(stage: Scene, isDrained = true): Promise<Evidence> {
  const { orders, events } = await readTables(stage.admin.db);
  return {
    clients: readHistory<ClientLine>(stage.clientFile),
    arrivals: joinAnswers(readHistory<ReceiverLine>(stage.receiverFile)),
    orders,
    events,
    receivers: stage.receivers.map(({ name, id, restaurantId, secret = '', temper = 'hostile' }) => {
      return { name, id, restaurantId, secret, answersWell: answersWell({ temper }) };
    }),
    crashes: stage.crashes,
    clockSpeed: { since: 0, ...stage.clockSpeed },
    clockSteps: stage.clockSteps,
    orderlyStops: stage.orderlyStops ?? [],
    isDrained,
  };
}

export async function readTables(db: Queryable): Promise<Pick<Evidence, 'orders' | 'events'>> {
  const orders = await db.query<OrderRow>(`select id, restaurant_id, provider_order_id, state, version from orders`);
  const events = await db.query<EventRow>(
    `select e.id, e.order_id, e.version, e.type, e.from_state as "from", e.to_state as "to", e.body,
       exists (select from deliveries d where d.event_id = e.id) as is_queued,
       (select count(*)::int from attempts a where a.event_id = e.id) as attempts,
       (select max(a.ended_at) from attempts a where a.event_id = e.id and a.outcome = 'delivered') as delivered_at
     from events e order by e.order_id, e.version, e.type`,
  );
  return { orders, events };
}

function joinAnswers(lines: readonly ReceiverLine[]): Arrival[] {
  const arrivals = new Map<number, Arrival>();
  for (const line of lines) {
    if (line.kind === 'request') {
      const { at, receiver, endpoint, signature, body } = line;
      arrivals.set(line.id, { at, receiver, endpoint, signature, body, answeredAt: null, status: null });
    } else {
      const arrival = arrivals.get(line.id);
      if (arrival !== undefined) Object.assign(arrival, { answeredAt: line.at, status: line.status });
    }
  }
  return [...arrivals.values()];
}

export function isSuccess(arrival: Pick<Arrival, 'status'>): boolean {
  return arrival.status !== null && arrival.status >= 200 && arrival.status <= 299;
}

export function answersWell({ temper }: { temper: Temper }): boolean {
  return temper === 'good' || temper === 'slow';
}
