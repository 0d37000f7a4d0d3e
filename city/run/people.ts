// Creates an account for everyone in a day and signs them in.
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import { addShift } from '../../src/actions/couriers/add-shift.ts';
import { addUser } from '../../src/actions/people/add-user.ts';
import type { App } from '../../src/app.ts';
import type { Instant } from '../../src/domain/time.ts';
import { openBrowser, type Browser } from '../../harness/service/panel-client.ts';
import { addTestRestaurant } from '../../harness/service/restaurant.ts';
import type { CityCourier, CityRestaurant } from '../day/day.ts';
import { insist } from './waits.ts';
import type { StagedCourier, StagedRestaurant } from './world.ts';

export interface Login {
  email: string;
  password: string;
}

interface NewUser {
  email: string;
  role: 'owner' | 'courier' | 'operator';
  restaurantId?: string;
  courierId?: string;
}

const ACTOR = { name: 'city' };

export class People {
  readonly #admin: App;
  readonly #address: string;

  constructor(admin: App, address: string) {
    this.#admin = admin;
    this.#address = address;
  }

  async addRestaurant(
    { name, place, approval }: CityRestaurant,
    receiver: { name: string; port: number },
  ): Promise<StagedRestaurant> {
    const restaurant = await addTestRestaurant(this.#admin, {
      restaurantId: receiver.name,
      receiver: { url: (urlPath) => `https://localhost:${receiver.port}${urlPath}` },
      hasSecret: true,
      name,
      timeZone: 'UTC',
      autoApprove: approval === 'auto',
      ...place,
    });
    const { id, restaurantId, apiKey, secret = '' } = restaurant;
    const login = await this.addLogin({ email: `${receiver.name}@city.example`, role: 'owner', restaurantId: id });
    return { id, restaurantId, apiKey, secret, browser: await this.#signIn(login) };
  }

  async addCourier(profile: CityCourier, number: number, opensAt: Instant): Promise<StagedCourier> {
    const { name, vehicle, capacity, home, onAtMs, offAtMs } = profile;
    const added = await addCourier(this.#admin, {
      name,
      phone: null,
      vehicle,
      capacity,
      ...home,
      restaurantId: null,
      // Couriers go on duty when their shift begins.
      onDuty: false,
      actor: ACTOR,
    });
    if (added.kind === 'refused') throw new Error(added.refusal.code);
    const { id } = added.courier;
    const whose = { courierId: id, scope: 'everything', actor: ACTOR } as const;
    const shift = { ...whose, startsAt: opensAt + onAtMs, endsAt: opensAt + offAtMs };
    const planned = await addShift(this.#admin, shift);
    if (planned.kind === 'refused') throw new Error(planned.refusal.code);
    const login = await this.addLogin({ email: `courier-${number}@city.example`, role: 'courier', courierId: id });
    return { id, profile, browser: await this.#signIn(login) };
  }

  async addLogin({ email, role, restaurantId, courierId }: NewUser): Promise<Login> {
    const belongs = { restaurantId: restaurantId ?? null, courierId: courierId ?? null };
    const added = await addUser(this.#admin, { email, role, ...belongs, actor: ACTOR });
    if (added.kind === 'refused') throw new Error(added.refusal.code);
    return { email, password: added.password };
  }

  async #signIn(login: Login): Promise<Browser> {
    const browser = openBrowser(this.#address);
    const answer = await insist(() => browser.signIn(login));
    if (answer.status !== 200) throw new Error(`${login.email} cannot sign in: ${answer.status}`);
    return browser;
  }
}
