// A demo service: two restaurants in the middle of their day, with a day of history; the receiver of one of them fails.
// Used by the test that visits every page and by the screenshots.
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import { addUser } from '../../src/actions/people/add-user.ts';
import { inviteUser } from '../../src/actions/people/invite-user.ts';
import { reportPosition } from '../../src/actions/couriers/report-position.ts';
import { setCourierDuty } from '../../src/actions/couriers/set-courier-duty.ts';
import { watchEndpoints } from '../../src/actions/webhooks/watch-endpoints.ts';
import type { App } from '../../src/app.ts';
import type { Role } from '../../src/domain/people/roles.ts';
import type { Login } from '../../harness/service/panel-client.ts';
import { addTestRestaurant, type TestRestaurant } from '../../harness/service/restaurant.ts';
import { planShowcase } from './plans.ts';
import { PLACE, Story, type ShowcaseSetup, type ShownOrders } from './story.ts';

export interface Showcase {
  /** Everything works. */
  fontana: TestRestaurant;
  /** Its receiver fails. */
  atelier: TestRestaurant;
  logins: Record<'owner' | 'staff' | 'atelierOwner' | 'courier' | 'operator', Login>;
  couriers: string[];
  orders: ShownOrders;
  supportCaseId: string;
}

/** How much history to create; tests need none. */
export interface ShowcaseExtent {
  pastOrders: number;
}

const WEEK = ['08:00', '08:00', '08:00', '08:00', '08:00', '09:00', '09:00'].map((from, day) => [
  { from, to: day >= 4 && day <= 5 ? '01:00' : '23:30' },
]);

export async function fillShowcase(setup: ShowcaseSetup, extent: ShowcaseExtent): Promise<Showcase> {
  const { app, receiver, failing } = setup;
  const fontana = await addTestRestaurant(app, {
    name: 'Trattoria Fontana',
    restaurantId: 'fontana-moda',
    receiver,
    hasSecret: true,
    contactEmail: 'orders@trattoria-fontana.example',
    address: 'Moda Caddesi 88, 34710 Kadıköy, İstanbul',
    rateLimitPerMinute: 300,
    ...PLACE,
  });
  const atelier = await addTestRestaurant(app, {
    name: 'Burger Atelier',
    restaurantId: 'atelier-kadikoy',
    receiver: failing,
    hasSecret: true,
    contactEmail: 'tech@burger-atelier.example',
    latitude: 40.9911,
    longitude: 29.0274,
  });
  const couriers = await addCouriers(app);
  const logins = await addPeople(app, { fontana, atelier, courierId: couriers[0] ?? '' });
  const story = new Story(setup, couriers);
  await story.fail(atelier, [26 * 60]);
  await story.livePast(fontana, extent.pastOrders);
  await story.fail(atelier, [190, 95, 40, 12]);
  const orders = await story.fillBoard(fontana);
  setup.clock.moveTo(0);
  await story.settle();
  await planShowcase(app, couriers.slice(0, ON_DUTY));
  await reportPositions(app, couriers);
  await setHours(app, fontana);
  return { fontana, atelier, logins, couriers, orders, supportCaseId: await openSupportCase(app) };
}

/** Runs the check that the service itself runs every few seconds. */
async function openSupportCase(app: App): Promise<string> {
  await watchEndpoints({ ...app, publicUrl: 'https://waybill.example', operatorEmail: 'operator@waybill.example' });
  const [row] = await app.db.query<{ id: string }>('select id from support_cases');
  if (row === undefined) throw new Error('no endpoint has failed for long enough');
  return row.id;
}

/** Called last, so that no past order arrives while the restaurant is closed. */
async function setHours(app: App, { id }: TestRestaurant): Promise<void> {
  const exceptions = [
    { date: '2026-12-31', spans: [{ from: '17:00', to: '02:00' }] },
    { date: '2027-01-01', spans: [] },
  ];
  await app.db.query('update restaurants set opening_hours = $2 where id = $1', [
    id,
    JSON.stringify({ weekly: WEEK, exceptions }),
  ]);
}

const COURIERS = [
  { name: 'Ada Yılmaz', vehicle: 'BICYCLE', latitude: 40.9862, longitude: 29.0281, isOnDuty: true },
  { name: 'Bo Larsen', vehicle: 'BICYCLE', latitude: 40.9809, longitude: 29.0247, isOnDuty: true },
  { name: 'Cem Demir', vehicle: 'MOTORCYCLE', latitude: 40.9885, longitude: 29.0313, isOnDuty: true },
  { name: 'Defne Arslan', vehicle: 'CAR', latitude: 40.9791, longitude: 29.0342, isOnDuty: true },
  { name: 'Emre Koç', vehicle: 'MOTORCYCLE', latitude: 40.9902, longitude: 29.0228, isOnDuty: false },
] as const;

const ON_DUTY = COURIERS.filter(({ isOnDuty }) => isOnDuty).length;

async function addCouriers(app: App): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, { name, vehicle, latitude, longitude, isOnDuty }] of COURIERS.entries()) {
    const phone = `+90532555017${index}`;
    const added = await addCourier(app, { name, phone, vehicle, latitude, longitude, ...POOL });
    if (added.kind === 'refused') throw new Error(added.refusal.code);
    const { id } = added.courier;
    ids.push(id);
    await setCourierDuty(app, {
      courierId: id,
      scope: 'everything',
      onDuty: isOnDuty,
      actor: { name: 'operator@waybill.example' },
    });
  }
  return ids;
}

/** Called last, because positions are kept only for a short time. */
async function reportPositions(app: App, ids: readonly string[]): Promise<void> {
  for (const [index, { latitude, longitude }] of COURIERS.entries()) {
    await reportPosition(app, ids[index] ?? '', { latitude, longitude });
  }
}

const POOL = { restaurantId: null, actor: { name: 'operator@waybill.example' } };

interface People {
  fontana: TestRestaurant;
  atelier: TestRestaurant;
  courierId: string;
}

interface Person {
  name: string;
  restaurant?: TestRestaurant;
  courierId?: string;
}

async function addPeople(app: App, { fontana, atelier, courierId }: People): Promise<Showcase['logins']> {
  const add = async (role: Role, email: string, of: Person): Promise<Login> => {
    const restaurantId = of.restaurant?.id ?? null;
    const added = await addUser(app, {
      email,
      role,
      restaurantId,
      courierId: of.courierId ?? null,
      actor: { name: 'operator@waybill.example' },
    });
    if (added.kind === 'refused') throw new Error(added.refusal.code);
    await app.db.query('update users set name = $2 where id = $1', [added.user.id, of.name]);
    return { email, password: added.password, userId: added.user.id };
  };
  const logins = {
    owner: await add('owner', 'giulia@trattoria-fontana.example', { name: 'Giulia Fontana', restaurant: fontana }),
    staff: await add('staff', 'marco@trattoria-fontana.example', { name: 'Marco Bianchi', restaurant: fontana }),
    atelierOwner: await add('owner', 'sam@burger-atelier.example', { name: 'Sam Okafor', restaurant: atelier }),
    courier: await add('courier', 'ada@couriers.example', { name: 'Ada Yılmaz', courierId }),
    operator: await add('operator', 'operator@waybill.example', { name: 'Noor Haddad' }),
  };
  await inviteUser(
    { ...app, publicUrl: 'https://waybill.example' },
    {
      email: 'lena@trattoria-fontana.example',
      name: 'Lena Vogt',
      role: 'staff',
      restaurantId: fontana.id,
      actor: { name: 'giulia@trattoria-fontana.example' },
    },
  );
  return logins;
}
