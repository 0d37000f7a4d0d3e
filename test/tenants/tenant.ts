// A restaurant with one of everything. All its texts contain the tenant's mark, so a leak is detectable in any answer.
import { randomBytes } from 'node:crypto';
import type { LocalActor } from '../../src/store/people/audit-log.ts';
import { insertEpoch } from '../../src/store/upkeep/epochs.ts';
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import { addShift } from '../../src/actions/couriers/add-shift.ts';
import type { ChangeRequest } from '../../src/actions/orders/change-order.ts';
import { createApiKey } from '../../src/actions/restaurants/create-api-key.ts';
import { createBasicCredential } from '../../src/actions/restaurants/create-basic-credential.ts';
import { createWebhookSecret } from '../../src/actions/webhooks/create-webhook-secret.ts';
import { inviteUser } from '../../src/actions/people/invite-user.ts';
import { reportAct } from '../../src/actions/couriers/report-action.ts';
import { reportPosition } from '../../src/actions/couriers/report-position.ts';
import { setWebhookUrls } from '../../src/actions/webhooks/set-webhook-urls.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { sampleOrder } from '../scenes/sample-order.ts';
import type { TestRestaurant, TestService } from '../../harness/service/service.ts';

export const ORDER_STAGES = ['new', 'approved', 'offered', 'accepted', 'prepared', 'problem', 'canceled'] as const;
export type OrderStage = (typeof ORDER_STAGES)[number];

/** What a request can refer to: our IDs, integrators' IDs, names, and positions in lists. */
export const ID_KINDS = [
  'restaurantId',
  'providerRestaurantId',
  'orderId',
  'providerOrderId',
  'orderNumber',
  'eventId',
  'attemptId',
  'auditId',
  'keyId',
  'credentialId',
  'secretId',
  'userId',
  'email',
  'courierId',
  'courierName',
  'shiftId',
  'caseId',
  'epochId',
  'actId',
  'feedCursor',
  'liveCursor',
] as const;
export type IdKind = (typeof ID_KINDS)[number];
export type Ids = Record<IdKind, string>;

export interface MakeOptions {
  stage: OrderStage;
  /** The courier who gets the offer; by default the tenant's own courier. */
  courierId?: string | undefined;
  /** IDs already made for the same request. An event is made for its order, a shift for its courier. */
  with?: Partial<Ids>;
}

export interface Tenant {
  mark: string;
  restaurant: TestRestaurant;
  basic: { username: string; password: string };
  courierId: string;
  /** Returns a new ID each time if requests can consume it. */
  make(kind: IdKind, options: MakeOptions): Promise<string>;
  /** Returns a new ID each time, even if `make` always returns the same one. */
  makeAnother(kind: IdKind, options: MakeOptions): Promise<string>;
}

export async function openTenant(service: TestService, name: string): Promise<Tenant> {
  const mark = `${name}${randomBytes(6).toString('hex')}`;
  const restaurant = await service.addRestaurant({
    restaurantId: `${mark}-1`,
    hasSecret: true,
    name: `${mark} Kitchen`,
    address: `${mark} Street 1`,
    contactEmail: `contact@${mark}.example`.toLowerCase(),
    phone: '+905321110000',
    latitude: 40.9876,
    longitude: 29.0301,
  });
  const by = { restaurantId: restaurant.id, actor: { name: `${mark} test` } };
  const url = (path: string) => `https://localhost:65535/${mark}/${path}`;
  must(await setWebhookUrls(service.app, { ...by, urls: { status: url('status'), cancel: url('cancel') } }));
  const basic = must(await createBasicCredential(service.app, by));
  const person = { name: `${mark} Courier`, phone: '+905321110001', latitude: 40.98, longitude: 29.02, onDuty: true };
  const { courier } = must(await addCourier(service.app, { ...person, ...by }));
  await service.app.db.query(
    `insert into courier_photos (courier_id, media_type, content, changed_at) values ($1, 'image/png', $2, now())`,
    [courier.id, Buffer.from(`\u0089PNG${mark}`, 'latin1')],
  );
  await reportPosition(service.app, courier.id, { latitude: 40.981, longitude: 29.021 });
  const make: Tenant['make'] = (kind, options) =>
    makeId({ service, mark, restaurant, courierId: courier.id, by }, kind, options);
  return {
    mark,
    restaurant,
    basic,
    courierId: courier.id,
    make,
    makeAnother: async (kind, options) =>
      kind === 'courierId' ? must(await addCourier(service.app, { ...person, ...by })).courier.id : make(kind, options),
  };
}

interface Making {
  service: TestService;
  mark: string;
  restaurant: TestRestaurant;
  courierId: string;
  by: { restaurantId: string; actor: LocalActor };
}

async function makeId(making: Making, kind: IdKind, options: MakeOptions): Promise<string> {
  const { service, mark, restaurant, by, courierId } = making;
  const { app } = service;
  switch (kind) {
    case 'restaurantId':
      return restaurant.id;
    case 'providerRestaurantId':
      return restaurant.restaurantId;
    case 'orderId':
      return (await placeOrder(making, options)).serviceOrderId;
    case 'providerOrderId':
      return (await placeOrder(making, options)).orderId;
    case 'orderNumber':
      return (await placeOrder(making, options)).orderNumber;
    case 'eventId':
      return (await failAttempt(making, options)).eventId;
    case 'attemptId':
      return (await failAttempt(making, options)).attemptId;
    case 'auditId':
      return first(service, `select max(id) as id from audit_entries where restaurant_id = $1`, [restaurant.id]);
    case 'keyId': {
      const environment = app.config.environment;
      return must(await createApiKey(app, { ...by, environment, lifetimeMs: null })).keyId;
    }
    case 'credentialId':
      return must(await createBasicCredential(app, by)).credentialId;
    case 'secretId':
      return findOrAddPendingSecret(making);
    case 'userId':
      return (await invite(making)).id;
    case 'email':
      return (await invite(making)).email;
    case 'courierId':
      return courierId;
    case 'courierName':
      return `${mark} Courier`;
    case 'shiftId': {
      const startsAt = app.clock.now() + HOUR_MS;
      const whose = { courierId: options.with?.courierId ?? courierId, scope: 'everything', actor: by.actor } as const;
      const shift = { ...whose, startsAt, endsAt: startsAt + HOUR_MS };
      return must(await addShift(app, shift)).shift.id;
    }
    case 'caseId':
      return openCase(making);
    case 'epochId': {
      const epoch = { id: app.newId(), cause: 'restored', startedAt: app.clock.now(), dataUntil: 0 } as const;
      await insertEpoch(app.db, epoch);
      return epoch.id;
    }
    case 'actId':
      return reportArrival(making, options);
    case 'feedCursor':
      return readFeedEnd(making);
    case 'liveCursor':
      return `0.0.${app.clock.now()}`;
  }
}

interface Placed {
  serviceOrderId: string;
  orderId: string;
  orderNumber: string;
}

async function placeOrder(making: Making, { stage, courierId = making.courierId }: MakeOptions): Promise<Placed> {
  const { service, mark, restaurant } = making;
  const content = {
    orderId: `${mark}-${randomBytes(6).toString('hex')}`,
    customer: { name: `${mark} Customer`, phone: '+905325550199' },
    notes: { kitchen: `${mark} note`, courier: `${mark} note` },
    items: [{ name: `${mark} dish`, quantity: 1, unitPrice: 500 }],
  };
  const answer = await service.post(restaurant, sampleOrder(content));
  if (answer.status !== 201) throw new Error(`order not placed: ${await answer.text()}`);
  const placed = (await answer.json()) as Placed;
  const courier = { role: 'courier', courierId } as const;
  const kitchen = { role: 'restaurant' } as const;
  const text = `${mark} reason`;
  const steps: Record<string, Pick<ChangeRequest, 'command' | 'actor'>> = {
    approve: { command: { name: 'approve' }, actor: kitchen },
    assign: { command: { name: 'assign', courierId }, actor: kitchen },
    accept: { command: { name: 'accept' }, actor: courier },
    prepare: { command: { name: 'prepare' }, actor: kitchen },
    cancel: {
      command: { name: 'cancel', cancellation: { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text } },
      actor: kitchen,
    },
  };
  for (const name of STEPS[stage]) {
    const result = await service.app.changer.change({
      scope: 'everything',
      orderId: placed.serviceOrderId,
      ...get(steps, name),
    });
    if (result.kind !== 'changed') throw new Error(`${name}: ${JSON.stringify(result)}`);
  }
  if (stage === 'problem') {
    const act = {
      id: service.app.newId(),
      courierId,
      orderId: placed.serviceOrderId,
      actedAt: service.app.clock.now(),
    };
    must(await reportAct(service.app, { ...act, kind: 'problem', detail: `${mark} problem` }));
  }
  return placed;
}

const STEPS: Record<OrderStage, readonly string[]> = {
  new: [],
  approved: ['approve'],
  offered: ['approve', 'assign'],
  accepted: ['approve', 'assign', 'accept'],
  prepared: ['approve', 'assign', 'accept', 'prepare'],
  problem: ['approve', 'assign', 'accept'],
  canceled: ['approve', 'assign', 'accept', 'cancel'],
};

/** An event whose first attempt failed and that is due for a retry. */
async function failAttempt(making: Making, options: MakeOptions): Promise<{ eventId: string; attemptId: string }> {
  const { service, mark, restaurant } = making;
  const orderId = options.with?.orderId ?? (await placeOrder(making, { stage: 'approved' })).serviceOrderId;
  const eventId = await first(service, 'select id from events where order_id = $1 limit 1', [orderId]);
  const attemptId = await first(
    service,
    `insert into attempts (event_id, restaurant_id, endpoint, number, outcome, url, started_at, ended_at, status,
                           error_class, error_text, answer)
     values ($1, $2, 'status', 1, 'failed', $3, now(), now(), 500, 'status', $4, $4)
     returning id`,
    [eventId, restaurant.id, `https://localhost:65535/${mark}/status`, `${mark} failed`],
  );
  await service.app.db.query(
    `update deliveries set attempts = 1, failures = 1, leased_by = null, due_at = now()
     where event_id = $1`,
    [eventId],
  );
  return { eventId, attemptId };
}

async function invite({ service, mark, restaurant }: Making): Promise<{ id: string; email: string }> {
  const email = `${mark}-${randomBytes(4).toString('hex')}@example.com`.toLowerCase();
  const person = {
    email,
    name: `${mark} Member`,
    role: 'staff',
    restaurantId: restaurant.id,
    actor: { name: mark },
  } as const;
  const deps = { ...service.app, publicUrl: service.address };
  return must(await inviteUser(deps, person)).user;
}

async function findOrAddPendingSecret({ service, restaurant, by }: Making): Promise<string> {
  const rows = await service.app.db.query<{ id: string }>(
    `select id from webhook_secrets where restaurant_id = $1 and state = 'pending'`,
    [restaurant.id],
  );
  return rows[0]?.id ?? must(await createWebhookSecret(service.app, by)).secretId;
}

/** For an outage that has ended, because only one per endpoint can be open. */
async function openCase({ service, mark, restaurant }: Making): Promise<string> {
  const outage = await first(
    service,
    `insert into failing_spells (id, restaurant_id, endpoint, failing_since, told_at, ended_at, ending)
     values (gen_random_uuid(), $1, 'status', now(), now(), now(), 'recovered') returning id`,
    [restaurant.id],
  );
  const caseId = await first(
    service,
    `insert into support_cases (id, restaurant_id, endpoint, spell_id, failing_since, opened_at)
     values (gen_random_uuid(), $1, 'status', $2, now(), now()) returning id`,
    [restaurant.id, outage],
  );
  await service.app.db.query(`insert into support_notes (case_id, at, actor, note) values ($1, now(), 'test', $2)`, [
    caseId,
    `${mark} note`,
  ]);
  return caseId;
}

async function reportArrival(making: Making, { courierId = making.courierId }: MakeOptions): Promise<string> {
  const { app } = making.service;
  const { serviceOrderId: orderId } = await placeOrder(making, { stage: 'accepted', courierId });
  const act = { id: app.newId(), courierId, orderId, actedAt: app.clock.now(), detail: null };
  must(await reportAct(app, { ...act, kind: 'arrived' }));
  return act.id;
}

async function readFeedEnd(making: Making): Promise<string> {
  await placeOrder(making, { stage: 'prepared' });
  const answer = await making.service.get(making.restaurant, 'events?limit=500');
  const { nextCursor } = (await answer.json()) as { nextCursor: string };
  return nextCursor;
}

async function first(service: TestService, sql: string, values: unknown[]): Promise<string> {
  const [row] = await service.app.db.query<{ id: string | number }>(sql, values);
  if (row === undefined) throw new Error(`no row from ${sql}`);
  return String(row.id);
}

function get<Value>(record: Record<string, Value>, key: string): Value {
  const value = record[key];
  if (value === undefined) throw new Error(`unknown step ${key}`);
  return value;
}

function must<Result extends { kind: string }>(result: Result): Exclude<Result, { kind: 'refused' }> {
  if (result.kind === 'refused') throw new Error(JSON.stringify(result));
  return result as Exclude<Result, { kind: 'refused' }>;
}
