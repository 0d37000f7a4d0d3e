// State shared by the simulated people while a day runs.
import type { Instant } from '../../src/domain/time.ts';
import type { Browser } from '../../harness/service/panel-client.ts';
import type { ClientLine } from '../../harness/history.ts';
import type { CityClock } from './clock.ts';
import type { CityCourier, CityDay, CityOrder } from '../day/day.ts';
import type { Ledger } from './waits.ts';

export interface StagedRestaurant {
  /** The service's id; `restaurantId` is the integrator's, and also the name of the receiver. */
  id: string;
  restaurantId: string;
  apiKey: string;
  secret: string;
  /** The kitchen's browser session. */
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
  /** Keyed by the service's id; added when the integrator receives that id. */
  placed: Map<string, CityOrder>;
  /** How often a courier's page polls, in city time. */
  askEveryMs: number;
  duties: Duty[];
  /** All work is done; couriers still on duty end their shift. */
  isOver: boolean;
  /** Records what the service acknowledged to a client. */
  write(line: ClientLine): void;
}

export interface Duty {
  courierId: string;
  from: Instant;
  to: Instant;
}
