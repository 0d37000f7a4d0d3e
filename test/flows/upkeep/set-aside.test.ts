// One order that cannot be processed, put into the database by hand: it is set aside and reported, and all other orders
// are planned, shown, audited, canceled and delivered as usual.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCourier } from '../../../src/actions/couriers/add-courier.ts';
import { auditHistory } from '../../../src/actions/upkeep/audit-history.ts';
import { createRobots } from '../../../src/robots/robots.ts';
import type { Command } from '../../../src/domain/orders/order.ts';
import { FACTS_COLUMNS, factsOf, type FactsRow } from '../../../src/store/orders/facts.ts';
import { findOrderById } from '../../../src/store/orders/orders.ts';
import { listSetAside } from '../../../src/store/upkeep/set-aside.ts';
import { signInAs } from '../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const PLACE = { latitude: 41, longitude: 29 };
const UNREADABLE = JSON.stringify({ dropoff: { latitude: 'north', longitude: 29 } });

let service: TestService;
let broken: TestRestaurant;
let healthy: TestRestaurant;

beforeAll(async () => {
  service = await startService();
  broken = await service.addRestaurant({ preparationMinutes: 0, ...PLACE });
  healthy = await service.addRestaurant({ autoApprove: true, preparationMinutes: 0, ...PLACE });
});
afterAll(() => service.stop());

async function place(restaurant: TestRestaurant, orderId: string): Promise<string> {
  const answer = await service.post(restaurant, { orderId, dropoff: { location: { latitude: 41.01, longitude: 29 } } });
  expect(answer.status).toBe(201);
  const { serviceOrderId } = (await answer.json()) as { serviceOrderId: string };
  return serviceOrderId;
}

/** Damages the order before its approval, because the planner reads it after that. */
async function placeDamaged(orderId: string): Promise<string> {
  const id = await place(broken, orderId);
  await service.app.db.query('update orders set facts = $2 where id = $1', [id, UNREADABLE]);
  const approval = {
    scope: 'everything',
    orderId: id,
    command: { name: 'approve' },
    actor: { role: 'restaurant' },
  } as const;
  expect(await service.app.changer.change(approval)).toMatchObject({ kind: 'changed' });
  return id;
}

/** Control: read as one batch without setting anything aside, these orders return nothing at all. */
async function expectUnreadableTogether(app: TestService['app'], ids: readonly string[]): Promise<void> {
  const rows = await app.db.query<FactsRow>(`select ${FACTS_COLUMNS} from orders o where o.id = any($1)`, [ids]);
  expect(rows).toHaveLength(ids.length);
  expect(() => rows.map(factsOf)).toThrow("The order's dropoff is unreadable");
}
const stateOf = async (id: string) => (await findOrderById(service.app.db, id))?.state;
/** Control: the command also fails when it runs alone, not only in a batch. */
async function expectFailing(orderId: string, command: Command): Promise<void> {
  const actor = { role: command.name === 'expire' ? 'system' : 'planner' } as const;
  await expect(service.app.changer.change({ scope: 'everything', orderId, command, actor })).rejects.toThrow(
    'Nowhere/Land',
  );
}
const listWorks = async (id: string) =>
  (await listSetAside(service.app.db, service.app.clock.now(), 100))
    .filter((entry) => entry.id === id)
    .map(({ work }) => work);

test('an order with unreadable facts is set aside, and work on all other orders continues', async () => {
  const bad = await placeDamaged('bad');
  const good = await place(healthy, 'good');
  await expectUnreadableTogether(service.app, [bad, good]);
  const courier = { name: 'Ada', phone: null, ...PLACE, restaurantId: null, onDuty: true, actor: { name: 'test' } };
  await addCourier(service.app, courier);

  await expect.poll(() => stateOf(good)).toBe('ASSIGNED');
  await expect.poll(() => listWorks(bad)).toEqual(['planning']);
  expect(await stateOf(bad)).toBe('VALIDATED');

  // Pages show both orders.
  const operator = await signInAs(service, 'operator');
  const map = await operator.get('/api/operator/map');
  expect(map.status).toBe(200);
  expect(JSON.stringify(map.body)).toContain(bad);
  const { body } = await operator.get('/api/operator/overview');
  expect(body.setAside).toMatchObject({
    entries: [{ work: 'planning', kind: 'order', id: bad, reason: "The order's dropoff is unreadable" }],
    count: 1,
  });
  const owner = await signInAs(service, 'owner', { restaurant: broken });
  expect(JSON.stringify((await owner.get('/api/orders')).body)).toContain(bad);

  expect(await auditHistory(service.app, { intervalMs: 0, orders: 500, events: 500 })).toBe('done');
});

test('the order is planned as soon as it is readable', async () => {
  const bad = await placeDamaged('fixed later');
  await expect.poll(() => listWorks(bad)).toEqual(['planning']);
  expect(await stateOf(bad)).toBe('VALIDATED');
  await service.app.db.query('update orders set facts = null where id = $1', [bad]);
  await expect.poll(() => stateOf(bad)).not.toBe('VALIDATED');
});

test('an order that cannot be canceled at its deadline blocks no other cancellation', async () => {
  const odd = await service.addRestaurant({ autoApprove: true, courierWaitLimitMinutes: 30 });
  const [bad, good] = [await place(odd, 'no zone'), await place(healthy, 'overdue')];
  // The bytes of its events cannot be written, because this time zone does not exist.
  await service.app.db.query(`update restaurants set time_zone = 'Nowhere/Land' where id = $1`, [odd.id]);
  await service.app.db.query(
    'update orders set courier_id = null, deadline_at = now(), look_at = now() where id = any($1)',
    [[bad, good]],
  );
  await expect.poll(() => stateOf(good)).toBe('CANCELED');
  await expect.poll(() => listWorks(bad)).toContain('deadlines');
  expect(await stateOf(bad)).not.toBe('CANCELED');
  const [row] = await service.app.db.query<{ isPutOff: boolean }>(
    'select look_at > now() as is_put_off from orders where id = $1',
    [bad],
  );
  expect(row?.isPutOff).toBe(true);
  await expectFailing(bad, { name: 'expire' });
});

test('a planning command that fails blocks no other command', async () => {
  // In one area, because they are near each other. The bytes of its events cannot be written: no such time zone exists.
  const odd = await service.addRestaurant({ preparationMinutes: 0, ...PLACE });
  const bad = await place(odd, 'cannot be routed');
  await service.app.db.query(`update restaurants set time_zone = 'Nowhere/Land' where id = $1`, [odd.id]);
  await service.app.db.query(`update orders set state = 'VALIDATED' where id = $1`, [bad]);
  const courier = { name: 'Bo', phone: null, ...PLACE, restaurantId: null, onDuty: true, actor: { name: 'test' } };
  await addCourier(service.app, courier);
  const good = await place(healthy, 'offered');
  await expect.poll(() => stateOf(good), { timeout: 15_000 }).toBe('ASSIGNED');
  await expect.poll(() => listWorks(bad)).toContain('planning');
  expect(await stateOf(bad)).toBe('VALIDATED');
  await expectFailing(bad, { name: 'route' });
});

test('robots carry every readable order', async () => {
  const stage = await startService({ environment: 'test', roles: ['api', 'deliver'] });
  try {
    const restaurant = await stage.addRestaurant({ autoApprove: true });
    const ids: string[] = [];
    for (const orderId of ['bad', 'good']) {
      const answer = await stage.post(restaurant, { orderId, test: { speed: 3600, path: 'PREPARED_FIRST' } });
      ids.push(((await answer.json()) as { serviceOrderId: string }).serviceOrderId);
    }
    const [bad = '', good = ''] = ids;
    await stage.app.db.query('update orders set facts = $2 where id = $1', [bad, UNREADABLE]);
    await expectUnreadableTogether(stage.app, [bad, good]);
    stage.app.supervise([createRobots(stage.app, { restaurantIds: null, hasScripts: true, hasPlanner: false })]);
    await expect.poll(async () => (await findOrderById(stage.app.db, good))?.state).toBe('PREPARED');
    expect(await listSetAside(stage.app.db, stage.app.clock.now(), 10)).toMatchObject([{ work: 'robots', id: bad }]);
  } finally {
    await stage.stop();
  }
});
