// The types are the guarantee: `tsc` fails if one of the expected errors is missing.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { declareRoutes, type BodyOf, type ParamsOf, type QueryOf } from './routes.ts';

const api = declareRoutes({
  list: { method: 'GET', path: '/api/things', query: z.object({ q: z.string().default('') }), answer: 'nothing' },
  add: { method: 'POST', path: '/api/things', body: z.object({ at: z.string().transform(Number) }), answer: 'nothing' },
  cut: { method: 'DELETE', path: '/api/things/:thingId/parts/:partId/edge', answer: 'nothing' },
});

test('a route has exactly the parameters that its path names', () => {
  const params: ParamsOf<typeof api.cut> = { thingId: '1', partId: '2' };
  // @ts-expect-error -- `partId` is missing.
  const few: ParamsOf<typeof api.cut> = { thingId: '1' };
  // @ts-expect-error -- The path has no `edge`.
  const many: ParamsOf<typeof api.cut> = { thingId: '1', partId: '2', edge: '3' };
  expect([params, few, many]).toHaveLength(3);
});

test('a handler gets what the schemas return, and nothing that is not declared', () => {
  const query: QueryOf<typeof api.list> = { q: 'text' };
  const body: BodyOf<typeof api.add> = { at: 1 };
  // @ts-expect-error -- No body is declared.
  const none: keyof BodyOf<typeof api.list> = 'at';
  expect([query, body, none]).toHaveLength(3);
});

test('a path is below /api/', () => {
  // @ts-expect-error -- Such a path would not be behind the panel's guard.
  expect(declareRoutes({ one: { method: 'GET', path: '/webhook/x', answer: 'nothing' } })).toBeDefined();
});
