// The table of an order's fields, generated from the schema that validates them.
import { z } from 'zod';
import { orderSchema } from '../../src/contract/integrator/orders/schema.ts';

interface Schema {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: string[];
  additionalProperties?: Schema | boolean;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  maxProperties?: number;
  format?: string;
}

export interface FieldRow {
  path: string;
  type: string;
  limits: string;
  meaning: string;
  isRequired: boolean;
}

export function fieldRows(): FieldRow[] {
  const schema: Schema = JSON.parse(JSON.stringify(z.toJSONSchema(orderSchema)));
  return rowsOf(schema, '');
}

export function fieldTable(): string {
  const rows = fieldRows().map(
    ({ path, type, limits, meaning, isRequired }) =>
      `| \`${path}\`${isRequired ? ' **required**' : ''} | ${type} | ${limits} | ${meaning} |`,
  );
  return ['| field | type | limits | meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

function rowsOf(schema: Schema, prefix: string): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const isRequired = schema.required?.includes(key) ?? false;
    const row = { path, type: typeOf(field), limits: limitsOf(field), meaning: field.description ?? '', isRequired };
    return [row, ...rowsOf(field, path), ...rowsOf(field.items ?? {}, `${path}[]`)];
  });
}

function typeOf({ type, format, items, additionalProperties }: Schema): string {
  if (format === 'date-time') return 'time';
  if (type === 'array') return `array of ${typeOf(items ?? {})}s`;
  if (typeof additionalProperties === 'object') return 'object of strings';
  return type ?? '';
}

function limitsOf(field: Schema): string {
  const values = field.enum ?? field.items?.enum;
  const limits = [
    values && values.map((value) => `\`${value}\``).join(', '),
    field.maxItems !== undefined && `at most ${field.maxItems}`,
    field.maxProperties !== undefined && `at most ${field.maxProperties} pairs`,
    lengthOf(field),
    rangeOf(field),
  ];
  return limits.filter((limit) => typeof limit === 'string').join('; ');
}

function lengthOf({ minLength, maxLength, items, additionalProperties }: Schema): string | undefined {
  if (maxLength !== undefined)
    return minLength === undefined ? `at most ${maxLength} characters` : `${minLength} to ${maxLength} characters`;
  const inner =
    items?.maxLength ?? (typeof additionalProperties === 'object' ? additionalProperties.maxLength : undefined);
  return inner === undefined ? undefined : `each at most ${inner} characters`;
}

function rangeOf({ minimum, maximum }: Schema): string | undefined {
  if (minimum === undefined || maximum === undefined) return undefined;
  return maximum === Number.MAX_SAFE_INTEGER ? `${minimum} or more` : `${minimum} to ${maximum}`;
}
