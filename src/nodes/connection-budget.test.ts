import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  describeCrowding,
  describeShortage,
  embeddedMaxConnections,
  planConnections,
  type NodeShape,
} from './connection-budget.ts';
import { NODE_ROLES, type NodeRole } from '../settings/parsers.ts';

const RESERVED = 3;

/** Divides the roles as `serve` does. */
function shapeOf(roles: readonly NodeRole[], workers: number): NodeShape {
  const others = roles.filter((role) => role !== 'plan');
  const isApart = others.length > 0 && others.length < roles.length;
  return isApart ? { shared: others, workers, apart: ['plan'] } : { shared: roles, workers, apart: [] };
}

const anyShape = fc
  .record({ roles: fc.subarray([...NODE_ROLES], { minLength: 1 }), workers: fc.integer({ min: 1, max: 64 }) })
  .map(({ roles, workers }) => shapeOf(roles, workers));

/** Counts differently from the code under test. */
function countOf({ workers, apart }: NodeShape, sizes: { shared: object; apart: object }): number {
  const processes = [
    ...Array.from({ length: workers }, () => sizes.shared),
    ...(apart.length > 0 ? [sizes.apart] : []),
  ];
  return processes.flatMap((pools) => [1, ...Object.values(pools).map(Number)]).reduce((sum, size) => sum + size, 0);
}

test('the pools of all processes stay below the server’s limit, for any worker count and any server', () => {
  fc.assert(
    fc.property(anyShape, fc.integer({ min: 1, max: 2_000 }), (shape, available) => {
      const plan = planConnections(shape, available);
      if (plan.ok) {
        expect(countOf(shape, plan.budget)).toBeLessThan(plan.budget.total);
        expect(plan.budget.total).toBeLessThan(available);
      } else {
        expect(plan.needed).toBeGreaterThan(available);
        if (plan.fittingWorkers !== null) {
          expect(plan.fittingWorkers).toBeLessThan(shape.workers);
          expect(planConnections({ ...shape, workers: plan.fittingWorkers }, available).ok).toBe(true);
        }
      }
    }),
  );
});

test('an embedded server has room for every pool at its largest, for 1 to 64 workers', () => {
  for (let workers = 1; workers <= 64; workers += 1) {
    const shape = shapeOf(NODE_ROLES, workers);
    const plan = planConnections(shape, embeddedMaxConnections(shape) - RESERVED);
    expect(plan).toEqual(planConnections(shape, 100_000));
    expect(plan.ok).toBe(true);
  }
});

test('each purpose has a separate pool, and each keeps connections even when they are scarce', () => {
  const shape = shapeOf(NODE_ROLES, 8);
  const scarce = planConnections(shape, 97);
  expect(scarce).toMatchObject({
    ok: true,
    budget: {
      shared: { intake: 2, background: 2, panel: 2, signIn: 1, metrics: 1, planner: 0 },
      apart: { intake: 0, panel: 0, planner: 2 },
    },
  });
});

test('a server that allows too few connections is refused with the numbers and what to change', () => {
  const plan = planConnections(shapeOf(NODE_ROLES, 64), 97);
  if (plan.ok) throw new Error('64 workers do not fit');
  expect(describeShortage(plan)).toBe(
    'The database allows 97 connections, and this node needs at least 655. ' +
      'Raise max_connections in PostgreSQL by 558 or more, or lower WAYBILL_WORKERS to 8.',
  );
  const tiny = planConnections(shapeOf(['deliver'], 1), 5);
  if (tiny.ok) throw new Error('nothing fits');
  expect(describeShortage(tiny)).not.toContain('WAYBILL_WORKERS');
});

test('connections used by others cause a warning only when they leave too few', () => {
  const plan = planConnections(shapeOf(NODE_ROLES, 1), 97);
  if (!plan.ok) throw new Error('one worker fits');
  const { total } = plan.budget;
  expect(describeCrowding(plan.budget, { available: 97, taken: 97 - total })).toBeUndefined();
  expect(describeCrowding(plan.budget, { available: 97, taken: 98 - total })).toContain(`this node may open ${total}`);
});
