// Why an order is where it is, with people instead of ids: the planner's reasons as the pages get them.
import { z } from 'zod';

const time = z.string().describe('RFC 3339, UTC');

const courier = z.object({
  id: z.uuid(),
  name: z.string().nullable().describe('Null: somebody whom this restaurant does not know'),
});

const pricedCourier = z.object({
  courier,
  extraCost: z.number().describe('Seconds more than the one that was chosen, or, where nobody was, in all'),
});

export const whyView = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accepted'), courier }),
  z.object({ kind: z.literal('offered'), courier, until: time }),
  z.object({
    kind: z.literal('placed'),
    courier,
    extraCost: z.number().describe('Seconds of delay, as the planner prices things'),
    nextBest: pricedCourier.nullable(),
    offerAt: time.describe('When the courier is asked'),
  }),
  z.object({
    kind: z.literal('waiting'),
    reason: z.string(),
    until: time.nullable().describe('When planning begins, or when the order is given up'),
    cheapest: pricedCourier.nullable().describe('Where every courier would cost too much: who would cost least'),
  }),
]);
export type WhyView = z.infer<typeof whyView>;
