// Reads the body of an order: refuses invalid known fields, warns about unknown fields, and lists missing information
// that a courier needs.
import { z } from 'zod';
import { fieldPath, isJsonObject, type JsonObject, type JsonValue } from '../../../domain/canonical-json.ts';
import { refuse, type FieldProblem, type Refusal } from '../../../domain/refusals.ts';
import { findContradictions } from './contradictions.ts';
import { list } from './fields.ts';
import { findIssues, type OrderIssue } from './issues.ts';
import { ITEMS_LIMIT, itemSchema, orderSchema, type OrderRequest } from './schema.ts';
import { compileQuickCheck } from '../../validation/quick-check.ts';
import { knownFieldsOf, warnOfUnknownFields } from '../../validation/unknown-fields.ts';
import { describeExpectedValue } from '../../validation/problem-text.ts';

export type ReadOrder =
  | { ok: true; order: OrderRequest; warnings: string[]; issues: OrderIssue[] }
  | { ok: false; refusal: Refusal };

export interface ReadOptions {
  environment: 'live' | 'test';
}

const MAX_PROBLEMS = 50;
const KNOWN_FIELDS = knownFieldsOf(orderSchema);
const isSurelyRight = compileQuickCheck(orderSchema, 'right');
/** Valid and without unknown fields: most orders need no further check. */
const isSurelyPlain = compileQuickCheck(orderSchema, 'ask');
const frameSchema = orderSchema.extend({ items: list(z.unknown(), ITEMS_LIMIT, '').optional() });

export function readOrderRequest(value: JsonValue, options: ReadOptions): ReadOrder {
  if (!isJsonObject(value)) return invalid([{ field: 'body', message: 'Must be a JSON object' }]);
  const isPlain = mayHoldTest(value, options) && isSurelyPlain(value);
  const problems = isPlain ? [] : findProblems(value, options);
  const order: unknown = value;
  if (!isOrder(order, problems)) return invalid(problems);
  const contradictions = findContradictions(order);
  if (contradictions.length > 0) return invalid(contradictions);
  const warnings = isPlain ? [] : warnOfUnknownFields(value, KNOWN_FIELDS);
  return { ok: true, order, warnings, issues: findIssues(order) };
}

// Values are never coerced or filled in, so a body without problems is an order, including its unknown fields.
function isOrder(_body: unknown, problems: FieldProblem[]): _body is OrderRequest {
  return problems.length === 0;
}

/** The field `test` is accepted only in the test environment. */
function mayHoldTest(body: JsonObject, { environment }: ReadOptions): boolean {
  return environment === 'test' || !Object.hasOwn(body, 'test');
}

function findProblems(body: JsonObject, options: ReadOptions): FieldProblem[] {
  const isInPlace = mayHoldTest(body, options);
  if (isInPlace && isSurelyRight(body)) return [];
  const problems = problemsIn(frameSchema, body, []);
  for (let index = 0; Array.isArray(body['items']) && index < body['items'].length; index++) {
    // Stops early: a body can contain tens of thousands of errors, more than anyone reads.
    if (problems.length >= MAX_PROBLEMS) break;
    problems.push(...problemsIn(itemSchema, body['items'][index] ?? null, ['items', index]));
  }
  if (isInPlace) return problems.slice(0, MAX_PROBLEMS);
  const others = problems.filter(({ field }) => field !== 'test' && !field.startsWith('test.'));
  const test = { field: 'test', message: 'Must be omitted: it is only accepted in the test environment' };
  return [test, ...others].slice(0, MAX_PROBLEMS);
}

function problemsIn(schema: z.ZodType, value: JsonValue, path: PropertyKey[]): FieldProblem[] {
  const result = schema.safeParse(value, { error: () => '' });
  if (result.success) return [];
  return result.error.issues.map((issue) => ({
    field: fieldPath([...path, ...issue.path]),
    message: describeExpectedValue(issue, value),
  }));
}

function invalid(details: FieldProblem[]): ReadOrder {
  return { ok: false, refusal: refuse('REQ_004', undefined, details) };
}
