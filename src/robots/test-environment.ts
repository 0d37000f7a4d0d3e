// The robots of the test environment. They work for every restaurant and follow each order's script.
import type { OrderChanger } from '../actions/orders/change-order.ts';
import type { SetAside } from '../domain/upkeep/set-aside.ts';
import type { Platform } from '../platform.ts';
import type { Database } from '../store/database/database.ts';
import { insertMissingCouriers } from '../store/robots/orders.ts';
import type { Worker } from '../runtime/supervisor.ts';
import { createRobots } from './robots.ts';
import { WebhookTrouble } from './webhook-trouble.ts';

type Deps = Pick<Platform, 'clock' | 'log'> & { db: Database; changer: OrderChanger; setAside: SetAside };

// Six, because a script may make five decline.
const COURIERS = ['Ada', 'Bora', 'Canan', 'Derya', 'Emre', 'Fatma'];

export function createTestRobots(deps: Deps): Worker[] {
  return [
    withCouriers(deps, createRobots(deps, { restaurantIds: null, hasScripts: true, hasPlanner: false })),
    new WebhookTrouble(deps).worker(),
  ];
}

function withCouriers(deps: Deps, robots: Worker): Worker {
  return {
    name: robots.name,
    async run(signal) {
      await addRobotCouriers(deps);
      await robots.run(signal);
    },
  };
}

async function addRobotCouriers(deps: Pick<Deps, 'clock' | 'db'>): Promise<void> {
  const createdAt = deps.clock.now();
  await insertMissingCouriers(
    deps.db,
    COURIERS.map((name, index) => ({
      id: `0198de31-0000-7000-8000-00000000000${index + 1}`,
      name: `Robot ${name}`,
      phone: null,
      latitude: null,
      longitude: null,
      onDuty: true,
      restaurantId: null,
      createdAt,
    })),
  );
}
