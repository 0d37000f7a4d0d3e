// The planner's reasons for an order's plan as the pages receive them, with names instead of ids.
import { z } from 'zod';

const time = z.string().describe('RFC 3339, UTC');

const courier = z.object({
  id: z.uuid().nullable(),
  name: z.string().nullable().describe('Both null: a courier whom this restaurant may not see'),
});

// The cost of a courier reveals how far away they are.
const cost = z.number().nullable();

const pricedCourier = z.object({
  courier,
  extraCost: cost.describe(
    'Additional cost compared to the chosen courier in seconds, or the total cost if none was chosen',
  ),
});

const planned = z.object({
  extraCost: cost.describe("Cost in the planner's unit: seconds of delay"),
  nextBest: pricedCourier.nullable(),
});

const choice = z.discriminatedUnion('by', [
  planned.extend({ by: z.literal('planner') }),
  z.object({ by: z.literal('hand') }).describe('By the restaurant or the operator'),
]);

const held = z.object({ courier, choice: choice.nullable().describe('Why this courier; null: unknown') });

export const whyView = z.discriminatedUnion('kind', [
  held.extend({ kind: z.literal('accepted') }),
  held.extend({ kind: z.literal('offered'), until: time }),
  planned.extend({ kind: z.literal('placed'), courier, offerAt: time.describe('When the offer is sent') }),
  z.object({
    kind: z.literal('waiting'),
    reason: z.string(),
    until: time.nullable().describe('When planning begins, or when the order is canceled'),
    cheapest: pricedCourier.nullable().describe('If every courier would cost too much: the cheapest one'),
  }),
]);
export type WhyView = z.infer<typeof whyView>;
/** Why the courier of an order was chosen. */
export type ChoiceView = z.infer<typeof choice>;
