import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signInAs, type Browser, type Login } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { listAuditEntries } from '../../../store/people/audit-log.ts';

let service: TestService;
let restaurant: TestRestaurant;
let owner: Browser & { login: Login };
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  restaurant = await service.addRestaurant({ name: 'Moda' });
  owner = await signInAs(service, 'owner', { restaurant });
});

const change = (body: object) => owner.send('PATCH', '/api/restaurant', body);
const NEVER = Array.from({ length: 7 }, () => []);

test('every user of the restaurant can read its settings', async () => {
  const staff = await signInAs(service, 'staff', { restaurant });
  const { status, body } = await staff.get('/api/restaurant');
  expect(status).toBe(200);
  expect(body).toEqual({
    restaurantId: restaurant.restaurantId,
    name: 'Moda',
    timeZone: 'Europe/Istanbul',
    address: null,
    location: null,
    contactEmail: null,
    phone: null,
    openingHours: null,
    isOpenNow: true,
    autoApprove: false,
    preparationMinutes: 15,
    courierWaitLimitMinutes: 60,
    approvalLimitMinutes: null,
  });
});

const SETTINGS = {
  name: 'Moda Meze',
  timeZone: 'Europe/Berlin',
  address: 'Moda Caddesi 12, Kadıköy',
  location: { latitude: 40.98, longitude: 29.02 },
  contactEmail: 'kitchen@moda.example.com',
  phone: '+90 216 555 01 20',
  openingHours: {
    weekly: [
      [
        { from: '11:00', to: '15:00' },
        { from: '18:00', to: '02:00' },
      ],
      [],
      [],
      [],
      [],
      [],
      [],
    ],
    exceptions: [{ date: '2026-12-25', spans: [] }],
  },
  autoApprove: true,
  preparationMinutes: 25,
  courierWaitLimitMinutes: 45,
  approvalLimitMinutes: 10,
};

test('every setting is changed by name, and the audit log records who and what', async () => {
  for (const [name, value] of Object.entries(SETTINGS)) {
    const { status, body } = await change({ [name]: value });
    expect([name, status, body[name]]).toEqual([name, 200, value]);
  }
  expect((await owner.get('/api/restaurant')).body).toMatchObject(SETTINGS);
  const entries = await listAuditEntries(service.app.db, restaurant.id, Object.keys(SETTINGS).length);
  expect(new Set(entries.map(({ actor, action }) => `${actor} ${action}`))).toEqual(
    new Set([`${owner.login.email} restaurant.changed`]),
  );
  expect(entries.map(({ detail }) => detail)).toContainEqual({ latitude: 40.98, longitude: 29.02 });
});

test('optional settings are cleared with null, and a change without effect is not logged', async () => {
  await change(SETTINGS);
  const empty = {
    address: null,
    location: null,
    contactEmail: null,
    phone: null,
    openingHours: null,
    approvalLimitMinutes: null,
  };
  expect((await change(empty)).body).toMatchObject(empty);
  const before = await listAuditEntries(service.app.db, restaurant.id, 50);
  expect((await change(empty)).status).toBe(200);
  expect(await listAuditEntries(service.app.db, restaurant.id, 50)).toEqual(before);
});

test.each([
  ['name', ' '],
  ['name', 'x'.repeat(201)],
  ['timeZone', 'Europe/Moda'],
  ['address', ''],
  ['location.latitude', { location: { latitude: 91, longitude: 0 } }],
  ['location.longitude', { location: { latitude: 0 } }],
  ['preparationMinutes', -1],
  ['preparationMinutes', 1.5],
  ['courierWaitLimitMinutes', 0],
  ['approvalLimitMinutes', 0],
  ['openingHours.weekly', { openingHours: { weekly: [] } }],
  ['openingHours.weekly[0][0].from', { openingHours: { weekly: [[{ from: '9', to: '10:00' }], ...NEVER.slice(1)] } }],
  [
    'openingHours.weekly[0][1]',
    {
      openingHours: {
        weekly: [
          [
            { from: '09:00', to: '12:00' },
            { from: '11:00', to: '13:00' },
          ],
          ...NEVER.slice(1),
        ],
      },
    },
  ],
  [
    'openingHours.exceptions',
    { openingHours: { weekly: NEVER, exceptions: [0, 1].map(() => ({ date: '2026-12-25', spans: [] })) } },
  ],
  [
    'openingHours.exceptions[0].date',
    { openingHours: { weekly: NEVER, exceptions: [{ date: '2026-02-29', spans: [] }] } },
  ],
])('%s: %j is refused with its field, and nothing changes', async (field, value) => {
  const { status, body } = await change(typeof value === 'object' ? value : { [field]: value });
  expect([status, body.details?.[0]?.field]).toEqual([422, field]);
  expect((await owner.get('/api/restaurant')).body).toMatchObject({ name: 'Moda', openingHours: null });
});

test.each([
  [422, { contactEmail: 'nobody' }, 'Must be a valid email address'],
  [422, { name: 'a\tb' }, 'Must be 1 to 200 characters without control characters'],
  [422, { address: 'a\nb' }, 'Must be 1 to 300 characters without control characters'],
])('%i: %j is refused with its field', async (status, body, message) => {
  const answer = await change(body);
  expect([answer.status, answer.body.details]).toEqual([status, [{ field: Object.keys(body)[0], message }]]);
});

test('a restaurant outside its opening hours is closed', async () => {
  const { body } = await change({ openingHours: { weekly: NEVER, exceptions: [] } });
  expect(body.isOpenNow).toBe(false);
});
