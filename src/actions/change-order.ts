// Carries out commands on orders: locks them, decides, saves state, events and deliveries, in one transaction.
// Commands that arrive together share it; commands on the same order see each other's effect, in order of arrival.
import { decide, type Actor, type Change, type Command, type OrderState } from '../domain/order.ts';
import { withDeadline } from '../domain/placing.ts';
import { refuse, type Refusal } from '../domain/refusals.ts';
import type { Platform } from '../platform.ts';
import { DatabaseUnavailable, type Database, type Queryable } from '../store/database.ts';
import { updateOrders, type Births, type NewEvent, type NewNote } from '../store/order-writes.ts';
import { isUuid, lockOrders, type LockedOrder } from '../store/orders.ts';
import { createGroup } from './group.ts';
import { dispatchBirths, draftEvents, nameActor, type Outbox } from './outbox.ts';

export interface ChangeRequest {
  /** The service's own id of the order. */
  orderId: string;
  command: Command;
  actor: Actor;
}

export type ChangeResult = { kind: 'changed' | 'unchanged'; state: OrderState } | { kind: 'refused'; refusal: Refusal };

export interface OrderChanger {
  change(request: ChangeRequest): Promise<ChangeResult>;
}

type Deps = Pick<Platform, 'clock' | 'newId' | 'log'> & {
  db: Database;
  outbox: Outbox;
  update?: typeof updateOrders;
};

/** What one transaction is going to write. */
interface Batch {
  touched: Set<LockedOrder>;
  events: NewEvent[];
  notes: NewNote[];
  transitions: { locked: LockedOrder; change: Change; actor: Actor }[];
}

const MOST_COMMANDS_A_COMMIT = 200;

export function createOrderChanger(deps: Deps): OrderChanger {
  const change = createGroup<ChangeRequest, ChangeResult>({
    maxSize: MOST_COMMANDS_A_COMMIT,
    concurrency: 2,
    run: (requests) => changeTogether(deps, requests),
  });
  return { change };
}

async function changeTogether(deps: Deps, requests: ChangeRequest[]): Promise<ChangeResult[]> {
  try {
    return await changeOnce(deps, requests);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    // Whether it was committed is unknown. Doing it again is safe: what already happened changes nothing.
    return changeOnce(deps, requests);
  }
}

async function changeOnce(deps: Deps, requests: ChangeRequest[]): Promise<ChangeResult[]> {
  const batch: Batch = { touched: new Set(), events: [], notes: [], transitions: [] };
  const { results, births } = await deps.db.transaction(async (tx) => {
    const ids = [...new Set(requests.map((request) => request.orderId).filter(isUuid))];
    const orders = await lockOrders(tx, ids);
    const results = requests.map((request) => applyRequest(deps, request, { batch, orders }));
    return { results, births: await save(deps, tx, batch) };
  });
  if (births !== undefined) dispatchBirths(deps, batch.events, births);
  logTransitions(deps, batch);
  return results;
}

function applyRequest(
  deps: Deps,
  request: ChangeRequest,
  into: { batch: Batch; orders: ReadonlyMap<string, LockedOrder> },
): ChangeResult {
  const { command, actor } = request;
  const locked = into.orders.get(request.orderId.toLowerCase());
  if (locked === undefined) return { kind: 'refused', refusal: refuse('ORDER_002') };
  const decision = decide(locked.order, command, { actor, now: deps.clock.now() });
  if (decision.kind === 'refused') return decision;
  if (decision.kind === 'unchanged') return { kind: 'unchanged', state: locked.order.state };
  const { batch } = into;
  const { changes } = decision;
  locked.order = withDeadline(locked.order, decision.order, locked.limits);
  batch.touched.add(locked);
  const { identity, restaurantId, order } = locked;
  batch.events.push(...draftEvents({ identity, restaurantId, actor, changes, order }, deps));
  batch.notes.push(...decision.notes.map((note) => ({ ...note, orderId: order.id, actor: nameActor(actor) })));
  batch.transitions.push(...changes.map((change) => ({ locked, change, actor })));
  return { kind: 'changed', state: order.state };
}

async function save(deps: Deps, tx: Queryable, batch: Batch): Promise<Births | undefined> {
  if (batch.touched.size === 0) return undefined;
  const update = deps.update ?? updateOrders;
  return update(tx, {
    orders: [...batch.touched].map((locked) => locked.order),
    events: batch.events,
    notes: batch.notes,
    now: deps.clock.now(),
    nodeId: deps.outbox.nodeId(),
  });
}

function logTransitions(deps: Deps, batch: Batch): void {
  for (const { locked, change, actor } of batch.transitions) {
    deps.log.info({
      event: 'order.changed',
      serviceOrderId: locked.order.id,
      restaurantId: locked.restaurantId,
      from: change.from,
      to: change.to,
      version: change.version,
      actor: nameActor(actor),
    });
  }
}
