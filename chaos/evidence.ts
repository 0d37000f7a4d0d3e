// What is left of a run when it is over: the histories of the outside, and the tables.
import { readHistory, type ClientLine, type ReceiverLine } from './history.ts';
import type { Stage } from './stage.ts';

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
  /** On its way still. */
  isQueued: boolean;
  /** How many attempts the log knows. */
  attempts: number;
}

/** One request at a receiver, and what was answered, if anything was. */
export interface Arrival {
  at: number;
  door: string;
  endpoint: string;
  signature: string | null;
  body: string;
  answeredAt: number | null;
  status: number | null;
}

export interface EvidenceDoor {
  name: string;
  /** The service's own id of the restaurant, and what the integrator calls it. */
  id: string;
  restaurantId: string;
  secret: string;
}

export interface Evidence {
  clients: ClientLine[];
  arrivals: Arrival[];
  orders: OrderRow[];
  events: EventRow[];
  doors: EvidenceDoor[];
  crashes: readonly string[];
  /** How much faster the service's wall clock ran. */
  factor: number;
  /** While the wall clock was being set, waits cannot be told by true time. */
  clockSteps: readonly { from: number; to: number }[];
}

export async function gatherEvidence(stage: Stage): Promise<Evidence> {
  const { db } = stage.admin;
  const orders = await db.query<OrderRow>(
    `select id, restaurant_id as "restaurantId", provider_order_id as "providerOrderId", state, version from orders`,
  );
  const events = await db.query<EventRow>(
    `select e.id, e.order_id as "orderId", e.version, e.type, e.from_state as "from", e.to_state as "to", e.body,
       exists (select from deliveries d where d.event_id = e.id) as "isQueued",
       (select count(*)::int from attempts a where a.event_id = e.id) as attempts
     from events e order by e.order_id, e.version, e.type`,
  );
  return {
    clients: readHistory<ClientLine>(stage.clientFile),
    arrivals: joinAnswers(readHistory<ReceiverLine>(stage.receiverFile)),
    orders,
    events,
    doors: stage.doors.map(({ name, id, restaurantId, secret }) => ({ name, id, restaurantId, secret: secret ?? '' })),
    crashes: stage.crashes,
    factor: stage.hurry.factor,
    clockSteps: stage.clockSteps,
  };
}

function joinAnswers(lines: readonly ReceiverLine[]): Arrival[] {
  const arrivals = new Map<number, Arrival>();
  for (const line of lines) {
    if (line.kind === 'request') {
      const { at, door, endpoint, signature, body } = line;
      arrivals.set(line.id, { at, door, endpoint, signature, body, answeredAt: null, status: null });
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
