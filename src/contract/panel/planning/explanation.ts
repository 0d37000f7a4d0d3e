// Why an order is where it is, with people instead of ids: the planner's reasons as the pages get them.
import { z } from 'zod';

const time = z.string().describe('RFC 3339, UTC');

const courier = z.object({
  id: z.uuid().nullable(),
  name: z.string().nullable().describe('Both null: somebody whom this restaurant does not know'),
});

// What a courier costs the plan tells how far away they are.
const cost = z.number().nullable();

const pricedCourier = z.object({
  courier,
  extraCost: cost.describe('Seconds more than the one that was chosen, or, where nobody was, in all'),
});

const planned = z.object({
  extraCost: cost.describe('Seconds of delay, as the planner prices things'),
  nextBest: pricedCourier.nullable(),
});

const choice = z.discriminatedUnion('by', [
  planned.extend({ by: z.literal('planner') }),
  z.object({ by: z.literal('hand') }).describe('Of the restaurant or the operator'),
]);

const held = z.object({ courier, choice: choice.nullable().describe('Why this courier; null: not known') });

export const whyView = z.discriminatedUnion('kind', [
  held.extend({ kind: z.literal('accepted') }),
  held.extend({ kind: z.literal('offered'), until: time }),
  planned.extend({ kind: z.literal('placed'), courier, offerAt: time.describe('When the courier is asked') }),
  z.object({
    kind: z.literal('waiting'),
    reason: z.string(),
    until: time.nullable().describe('When planning begins, or when the order is given up'),
    cheapest: pricedCourier.nullable().describe('Where every courier would cost too much: who would cost least'),
  }),
]);
export type WhyView = z.infer<typeof whyView>;
/** Why whoever has an order was chosen. */
export type ChoiceView = z.infer<typeof choice>;
