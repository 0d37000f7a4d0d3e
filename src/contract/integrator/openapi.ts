// The OpenAPI document, made from the schemas that check the requests: it cannot say anything else than they do.
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
        'Hand in delivery orders; learn by signed webhook what happens to them. Errors all have one shape; decide by `code`.',
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Orders', description: 'The integration contract' },
      { name: 'Extensions', description: 'What Waybill offers beyond the contract, with the same credentials' },
    ],
    security: [{ apiKey: [] }, { basic: [] }],
    paths: PATHS,
    webhooks: WEBHOOKS,
    components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS, schemas: componentSchemas() },
  };
}

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: '`wb_live_…` or `wb_test_…`' },
  basic: { type: 'http', scheme: 'basic', description: 'Where an API key cannot be used' },
};

const HEADERS = {
  RequestId: {
    description: 'Also in the body of an error; name it when you ask for support',
    schema: { type: 'string' },
  },
  Challenge: { description: 'Names the Basic scheme', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait', schema: { type: 'integer' } },
  IdempotentReplayed: {
    description: '`true` when the order existed already',
    schema: { type: 'string', enum: ['true'] },
  },
};

function componentSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, override: leaveOpen });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutOwnAddress(schema)]));
}

// Inside one document a schema is found by its name; an address of its own would lead readers astray.
function withoutOwnAddress(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$id' && key !== '$schema'));
}

// Unknown fields are kept in what comes in and may appear in what goes out: nothing is closed.
function leaveOpen({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}
