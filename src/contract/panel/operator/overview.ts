// The state of the whole installation at a glance.
import { z } from 'zod';
import { ENDPOINT_KINDS } from '../../../domain/webhooks/events.ts';
import { STATES } from '../../../domain/orders/order.ts';
import { ALARM_KINDS } from '../../../domain/planning/alarms.ts';
import { SUBJECT_KINDS, WORK_KINDS } from '../../../domain/upkeep/set-aside.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');

/** An order that needs attention: it is late, is waiting for a courier, or has an alarm. */
const orderToLookAt = z.object({
  orderId: z.uuid(),
  orderNumber: z.string(),
  providerOrderId: z.string().describe("The integrator's own"),
  restaurantId: z.uuid(),
  restaurantName: z.string(),
  state: z.enum(STATES),
  createdAt: time,
  isLate: z.boolean(),
  waitReason: z.string().nullable().describe("The planner's"),
  alarm: z.object({ kind: z.enum(ALARM_KINDS), detail: z.string(), raisedAt: time }).nullable(),
});
export type OrderToLookAt = z.infer<typeof orderToLookAt>;

const failingEndpoint = z.object({
  restaurantId: z.uuid(),
  restaurantName: z.string(),
  endpoint: z.enum(ENDPOINT_KINDS),
  url: z.string().nullable(),
  failingSince: time,
  lastSuccessAt: time.nullable(),
  lastError: z.string().nullable(),
  waiting: z.number().describe('After a failure, counted up to `mostCounted`'),
  nextAttemptAt: time.nullable(),
  supportCase: z.object({ id: z.uuid(), state: z.enum(['open', 'contacted', 'resolved']) }).nullable(),
});
export type FailingEndpoint = z.infer<typeof failingEndpoint>;

const setAsideEntry = z.object({
  work: z.enum(WORK_KINDS).describe('The worker that could not process it'),
  kind: z.enum(SUBJECT_KINDS),
  id: z.uuid(),
  name: z.string().nullable().describe("An order's number, or a name; null if it no longer exists"),
  restaurantName: z.string().nullable(),
  reason: z.string(),
  since: time,
});
export type SetAsideEntry = z.infer<typeof setAsideEntry>;

const node = z.object({
  id: z.string().nullable().describe('Null if the node does not deliver'),
  startedAt: time,
  silentMs: z.number().nullable().describe('Time since its last heartbeat'),
  isAlive: z.boolean(),
  roles: z.array(z.string()).describe('Empty while its connection is gone'),
  sending: z.number().describe('Webhooks leased to it'),
  clockOffsetMs: z.number().describe("How far its clock is ahead of the database's; 0 within a second"),
});

const health = z.object({
  nodes: z.array(node),
  deliveries: z.object({ due: z.number(), late: z.number(), waiting: z.number(), held: z.number() }),
  audit: z.object({
    differences: z.array(z.object({ kind: z.string(), count: z.number() })),
    lastPassAgeSeconds: z.number().nullable().describe('Null until the first pass has ended'),
    lastPassSeconds: z.number().nullable(),
  }),
  mails: z.object({ queued: z.number(), refused: z.number(), oldestSeconds: z.number(), hasServer: z.boolean() }),
  database: z.object({
    sizeBytes: z.number(),
    connections: z.object({ total: z.number(), idle: z.number(), waiting: z.number() }).describe('Of this node'),
  }),
  eventLoop: z.object({ meanMs: z.number(), p99Ms: z.number() }).describe('Lag of this node since it was last read'),
  planning: z
    .object({
      areas: z.number(),
      couriers: z.number(),
      orders: z.number(),
      waiting: z.number(),
      lastPlannedAt: time,
      slowestMs: z.number(),
    })
    .nullable()
    .describe('Null until the first plan'),
});
export type SystemHealth = z.infer<typeof health>;

export const overviewAnswer = z.object({
  orders: z.object({
    states: z.array(z.object({ state: z.enum(STATES), count: z.number(), late: z.number() })),
    waits: z.array(z.object({ reason: z.string(), count: z.number() })).describe('Most common first'),
    toLookAt: z.array(orderToLookAt),
    isCut: z.boolean().describe('There are more than are listed'),
  }),
  endpoints: z.object({ failing: z.array(failingEndpoint), count: z.number(), mostCounted: z.number() }),
  supportCases: z.object({ open: z.number(), contacted: z.number() }),
  setAside: z
    .object({
      entries: z.array(setAsideEntry).describe('Oldest first'),
      count: z.number().describe('How many there are in all'),
    })
    .describe('Records that workers could not process and skip'),
  health,
});
export type OverviewAnswer = z.infer<typeof overviewAnswer>;

export const overviewApi = declareRoutes({
  read: { method: 'GET', path: '/api/operator/overview', answer: overviewAnswer },
});
