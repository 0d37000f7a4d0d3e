// Checks that everything acknowledged to clients is in the database.
import type { Evidence } from './evidence.ts';

export function findLostOrders({ clients, orders, receivers }: Evidence): string[] {
  const byKey = Map.groupBy(orders, (order) => `${order.restaurantId} ${order.providerOrderId}`);
  const idOf = new Map(receivers.map((receiver) => [receiver.restaurantId, receiver.id]));
  return clients.flatMap((line) => {
    if (line.kind === 'complaint') return [`a client got a wrong answer: ${line.text}`];
    if (line.kind !== 'placed') return [];
    const found = byKey.get(`${idOf.get(line.restaurant)} ${line.orderId}`) ?? [];
    if (found.length === 1 && found[0]?.id === line.serviceOrderId) return [];
    const ids = found.map((order) => order.id).join() || 'lost';
    return [`order ${line.orderId} was acknowledged as ${line.serviceOrderId} and is ${ids}`];
  });
}

export function findLostChanges({ clients, events }: Pick<Evidence, 'clients' | 'events'>): string[] {
  const committed = new Set(events.map((event) => `${event.orderId} ${event.to}`));
  return clients.flatMap((line) =>
    line.kind === 'changed' && !committed.has(`${line.serviceOrderId} ${line.to}`)
      ? [`order ${line.serviceOrderId} was acknowledged as ${line.to} but never reached that state`]
      : [],
  );
}
