// The OpenAPI document, generated from the schemas that validate requests, so the two can't disagree.
import { z } from 'zod';
import {
  cancelWebhookSchema,
  dryRunAnswerSchema,
  errorAnswerSchema,
  eventsAnswerSchema,
  orderAnswerSchema,
  orderReadAnswerSchema,
  statusWebhookSchema,
} from './answers.ts';
import { PATHS, WEBHOOKS } from './openapi-operations.ts';
import { orderSchema } from './orders/schema.ts';
import { cancelRequestSchema } from './requests.ts';

const SCHEMAS = {
  Order: orderSchema,
  OrderAnswer: orderAnswerSchema,
  DryRunAnswer: dryRunAnswerSchema,
  OrderReadAnswer: orderReadAnswerSchema,
  CancelRequest: cancelRequestSchema,
  EventsAnswer: eventsAnswerSchema,
  StatusWebhook: statusWebhookSchema,
  CancelWebhook: cancelWebhookSchema,
  Error: errorAnswerSchema,
};

export function openApiDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waybill',
      version: '1.0.0',
      description:
        'Send delivery orders, and receive every status change as a signed webhook. All errors have the same shape; handle them by `code`.',
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Orders', description: 'The integration contract' },
      { name: 'Extensions', description: 'Operations beyond the integration contract, with the same credentials' },
    ],
    security: [{ apiKey: [] }, { basic: [] }],
    paths: PATHS,
    webhooks: WEBHOOKS,
    components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS, schemas: componentSchemas() },
  };
}

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: '`wb_live_…` or `wb_test_…`' },
  basic: { type: 'http', scheme: 'basic', description: 'Alternative where an API key cannot be used' },
};

const HEADERS = {
  RequestId: {
    description: 'Also in the body of an error; include it when you contact support',
    schema: { type: 'string' },
  },
  Challenge: { description: 'Names the Basic scheme', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait', schema: { type: 'integer' } },
  IdempotentReplayed: {
    description: '`true` if the order already existed',
    schema: { type: 'string', enum: ['true'] },
  },
};

function componentSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, override: leaveOpen });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutOwnAddress(schema)]));
}

// Within the document, schemas are referenced by name; a separate `$id` would mislead readers.
function withoutOwnAddress(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$id' && key !== '$schema'));
}

// Unknown fields are stored in requests and may be added to responses, so no schema is closed.
function leaveOpen({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}
