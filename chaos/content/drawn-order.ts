// Generates an order body that the service must accept: fields of the published schema in random spellings.
import { z } from 'zod';
import { orderSchema } from '../../src/contract/integrator/orders/schema.ts';
import type { Chance } from '../../harness/chance.ts';
import { Speller, type Schema } from './spellings.ts';

const schema: Schema = published();

/** The schema that the OpenAPI document shows. */
function published(): Schema {
  const { properties = {} } = z.toJSONSchema(orderSchema);
  return { properties: properties as Record<string, Schema> };
}

export function drawOrder(chance: Chance, ids: { orderId: string; restaurantId: string }): string {
  const speller = new Speller(chance);
  const fields: [string, string][] = [
    ['orderId', speller.text(ids.orderId)],
    ['restaurantId', speller.text(ids.restaurantId)],
    // Required whenever the order contains an amount.
    ['currency', speller.text(chance.pick(['EUR', 'JPY', 'KWD']))],
  ];
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const isFixed = fields.some(([fixed]) => fixed === name) || name === 'test';
    if (isFixed || !chance.isTrue(0.6)) continue;
    fields.push([name, drawField(name, field, { chance, speller })]);
  }
  return speller.object(fields);
}

function drawField(name: string, field: Schema, { chance, speller }: { chance: Chance; speller: Speller }): string {
  if (name === 'payment') return drawPayment(chance, speller);
  if (name !== 'timing') return speller.value(field, name);
  const { dropoffWindow: _, ...properties } = field.properties ?? {};
  const chosen = Object.entries(properties).filter(() => chance.isTrue(0.6));
  const fields = chosen.map(([key, value]): [string, string] => [key, speller.value(value, key)]);
  if (chance.isTrue(0.5)) fields.push(['dropoffWindow', drawWindow(speller)]);
  return speller.object(fields);
}

/** The end must be later than the start. */
function drawWindow(speller: Speller): string {
  const [first, second] = [speller.instant(), speller.instant()];
  const [start, end] = Date.parse(first) <= Date.parse(second) ? [first, second] : [second, first];
  if (Date.parse(start) === Date.parse(end)) return drawWindow(speller);
  return speller.object([
    ['start', speller.text(start)],
    ['end', speller.text(end)],
  ]);
}

/** The service refuses a paid order that also collects cash, and cash tendered that is less than the amount. */
function drawPayment(chance: Chance, speller: Speller): string {
  const amount = chance.pick([0, 1, 1_050, 9_007_199_254_740_991]);
  const collects: [string, string][] = [
    ['status', speller.text('COLLECT_ON_DELIVERY')],
    ['amountToCollect', speller.integer(amount)],
  ];
  if (chance.isTrue(0.5)) collects.push(['cashTendered', speller.integer(amount)]);
  return speller.object(chance.isTrue(0.5) ? collects : [['status', speller.text('PAID')]]);
}
