// The people who sign in to the pages: the owner of one restaurant, and a courier on duty.
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import { addUser } from '../../src/actions/people/add-user.ts';
import type { App } from '../../src/app.ts';
import type { Role } from '../../src/domain/people/roles.ts';
import type { Person } from './pages.ts';

const ACTOR = { name: 'rehearsal' };

export interface Staff {
  owner: Person;
  courier: Person;
  courierId: string;
}

export async function addStaff(admin: App, restaurantId: string): Promise<Staff> {
  const added = await addCourier(admin, {
    name: 'Ada',
    phone: null,
    latitude: null,
    longitude: null,
    restaurantId: null,
    onDuty: true,
    actor: ACTOR,
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  const courierId = added.courier.id;
  return {
    owner: await addPerson(admin, 'owner', { restaurantId, courierId: null }),
    courier: await addPerson(admin, 'courier', { restaurantId: null, courierId }),
    courierId,
  };
}

interface Belongs {
  restaurantId: string | null;
  courierId: string | null;
}

async function addPerson(admin: App, role: Role, belongs: Belongs): Promise<Person> {
  const email = `${role}@rehearsal.example`;
  const added = await addUser(admin, { email, role, ...belongs, actor: ACTOR });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  return { email, password: added.password };
}
