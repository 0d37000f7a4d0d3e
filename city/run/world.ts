// What everybody in the city shares while a day runs.
import type { Instant } from '../../src/domain/time.ts';
import type { Browser } from '../../harness/service/panel-client.ts';
import type { ClientLine } from '../../harness/history.ts';
import type { CityClock } from './clock.ts';
import type { CityCourier, CityDay, CityOrder } from '../day/day.ts';
import type { Ledger } from './waits.ts';

export interface StagedRestaurant {
  /** The service's own id, and what the integrator calls it; the receiver's door has the same name. */
  id: string;
  restaurantId: string;
  apiKey: string;
  secret: string;
  /** Of whoever works in the kitchen. */
  browser: Browser;
}

export interface StagedCourier {
  id: string;
  profile: CityCourier;
  browser: Browser;
}

export interface World {
  day: CityDay;
  seed: number;
  clock: CityClock;
  opensAt: Instant;
  address: string;
  ledger: Ledger;
  restaurants: readonly StagedRestaurant[];
  couriers: readonly StagedCourier[];
  /** By the service's id, as soon as the integrator knows it. */
  placed: Map<string, CityOrder>;
  /** How often a courier's page asks, in the city's time. */
  askEveryMs: number;
  /** Who was on duty when. */
  duties: Duty[];
  /** Nothing is left to do: whoever is still on duty goes home. */
  isOver: boolean;
  /** Notes what somebody was told, outside of the service. */
  write(line: ClientLine): void;
}

export interface Duty {
  courierId: string;
  from: Instant;
  to: Instant;
}
