// Finds the ids of what people type on the command line: actions only take ids. What it does not find, it refuses in its
// own words.
import { listCouriersCalled, type Courier } from '../store/couriers/couriers.ts';
import type { Queryable } from '../store/database/database.ts';
import type { Outcome } from './terminal/command.ts';

export type Lookup<Found> = { kind: 'found'; found: Found } | (Outcome & { kind: 'failed' });

/** By id or exact name. */
export async function findNamedCourier(db: Queryable, idOrName: string): Promise<Lookup<Courier>> {
  const [courier, another] = await listCouriersCalled(db, idOrName);
  const shown = JSON.stringify(idOrName);
  if (courier === undefined) return notFound(`There is no courier with the id or name ${shown}.`);
  if (another !== undefined) return notFound(`More than one courier is called ${shown}. Use the id instead.`);
  return { kind: 'found', found: courier };
}

function notFound(message: string): Outcome & { kind: 'failed' } {
  return { kind: 'failed', message };
}
