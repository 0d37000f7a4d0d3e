// The OpenAPI operations of the integrator API, and the two webhooks.
import type { SharedCode } from '../../domain/refusals.ts';
import {
  CANCEL_WEBHOOK,
  CANCELED_ANSWER,
  DRY_RUN_ANSWER,
  EVENTS_ANSWER,
  exampleError,
  ORDER_ANSWER,
  ORDER_READ_ANSWER,
  REPLAYED_ANSWER,
  STATUS_WEBHOOK,
} from './answer-examples.ts';
import { FULL_ORDER, SCRIPTED_ORDER, SMALL_ORDER, USUAL_ORDER } from './orders/examples.ts';
import { REFUSAL_STATUS } from '../refusal-status.ts';
import { EVENTS_LIMIT } from './requests.ts';

const EXTENSION = 'Waybill extension: not part of the base integration contract.';

const ANY_CALL: SharedCode[] = [
  'AUTH_001',
  'AUTH_002',
  'AUTH_003',
  'AUTH_004',
  'AUTH_010',
  'AUTH_011',
  'RATE_001',
  'SRV_001',
  'SRV_002',
];
const ANY_BODY: SharedCode[] = ['REQ_001', 'REQ_002', 'REQ_003', 'REQ_004'];

export function ref(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}

function json(schema: object, examples: Record<string, unknown>) {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return { 'application/json': { schema, examples: Object.fromEntries(named) } };
}

const REQUEST_ID_HEADER = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };

function answer(description: string, schema: string, examples: Record<string, unknown>) {
  return { description, headers: REQUEST_ID_HEADER, content: json(ref(schema), examples) };
}

const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
const HEADERS_BY_STATUS: Record<number, object> = {
  401: { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

/** One response for each status, with an example body for each code that it can carry. */
function refusals(codes: SharedCode[]) {
  const byStatus = Map.groupBy(codes, (code) => REFUSAL_STATUS[code]);
  const responses = [...byStatus].map(([status, group]) => {
    const examples = Object.fromEntries(group.map((code) => [code, exampleError(code)]));
    const titles = new Set(group.map((code) => exampleError(code).error));
    const response = answer([...titles].join('; '), 'Error', examples);
    return [status, { ...response, headers: { ...response.headers, ...HEADERS_BY_STATUS[status] } }];
  });
  return Object.fromEntries(responses);
}

const ORDER_ID_PARAMETER = {
  name: 'orderId',
  in: 'path',
  required: true,
  description: 'Your id for the order, percent-encoded',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
};

const placeOrder = {
  operationId: 'placeOrder',
  tags: ['Orders'],
  summary: 'Create an order',
  description:
    'A 2xx response means that the order is stored. Sending the same `orderId` with the same content again returns 200 ' +
    'and changes nothing, so retrying after a timeout, a broken connection or a 5xx is always safe.',
  parameters: [
    {
      name: 'dryRun',
      in: 'query',
      description: 'Extension: `true` validates the order, stores nothing and returns 200',
      schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
    },
  ],
  requestBody: {
    required: true,
    description: 'UTF-8 JSON of at most 262144 bytes and 20 levels, without duplicate keys',
    content: json(ref('Order'), {
      small: SMALL_ORDER,
      usual: USUAL_ORDER,
      full: FULL_ORDER,
      'scripted (test environment)': SCRIPTED_ORDER,
    }),
  },
  responses: {
    200: {
      description: 'The order already exists with the same content, or this was a dry run',
      headers: { ...REQUEST_ID_HEADER, 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } },
      content: json(
        { anyOf: [ref('OrderAnswer'), ref('DryRunAnswer')] },
        { replayed: REPLAYED_ANSWER, dryRun: DRY_RUN_ANSWER },
      ),
    },
    201: answer('The order is stored', 'OrderAnswer', { created: ORDER_ANSWER }),
    ...refusals([...ANY_CALL, 'AUTH_012', ...ANY_BODY, 'ORDER_001']),
  },
};

const readOrder = {
  operationId: 'readOrder',
  tags: ['Extensions'],
  summary: 'Read an order',
  description: EXTENSION,
  'x-waybill-extension': true,
  parameters: [ORDER_ID_PARAMETER],
  responses: {
    200: answer('The current order', 'OrderReadAnswer', { accepted: ORDER_READ_ANSWER }),
    ...refusals([...ANY_CALL, 'ORDER_002']),
  },
};

const cancelOrder = {
  operationId: 'cancelOrder',
  tags: ['Extensions'],
  summary: 'Cancel an order',
  description: `${EXTENSION} The cancellation counts as made by the Restaurant. Canceling a canceled order returns 200 and changes nothing.`,
  'x-waybill-extension': true,
  parameters: [ORDER_ID_PARAMETER],
  requestBody: {
    required: true,
    content: json(ref('CancelRequest'), { outOfStock: { cancelReasonId: 'OUT_OF_STOCK' } }),
  },
  responses: {
    200: answer('The order is canceled', 'OrderReadAnswer', { canceled: CANCELED_ANSWER }),
    ...refusals([...ANY_CALL, ...ANY_BODY, 'ORDER_002', 'ORDER_003']),
  },
};

const listEvents = {
  operationId: 'listEvents',
  tags: ['Extensions'],
  summary: 'List events',
  description: `${EXTENSION} The same events as the webhooks, in commit order. The cursor never skips an event. After a restore of the service, older cursors return FEED_001 with the cursor to continue from.`,
  'x-waybill-extension': true,
  parameters: [
    {
      name: 'after',
      in: 'query',
      description: '`nextCursor` of the previous response; if omitted, the feed starts with the oldest stored event',
      schema: { type: 'string', maxLength: 200 },
    },
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of events',
      schema: { type: 'integer', minimum: EVENTS_LIMIT.min, maximum: EVENTS_LIMIT.max, default: EVENTS_LIMIT.usual },
    },
  ],
  responses: {
    200: answer('Events, oldest first', 'EventsAnswer', { one: EVENTS_ANSWER }),
    ...refusals([...ANY_CALL, 'REQ_004', 'FEED_001']),
  },
};

export const PATHS = {
  '/webhook/third-party/order': { post: placeOrder },
  '/webhook/third-party/order/{orderId}': { get: readOrder },
  '/webhook/third-party/order/{orderId}/cancel': { post: cancelOrder },
  '/webhook/third-party/events': { get: listEvents },
};

function header(name: string, description: string) {
  return { name, in: 'header', description, schema: { type: 'string' } };
}

const WEBHOOK_HEADERS = [
  header('X-Service-Signature', 'Lowercase hexadecimal HMAC-SHA256 of the body; only if a webhook secret is set'),
  ...['X-Waybill-Event-Id', 'X-Waybill-Attempt', 'X-Waybill-Sequence'].map((name) =>
    header(name, 'Only if delivery metadata is on'),
  ),
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    header(name, 'Standard Webhooks header; only if delivery metadata is on'),
  ),
];

function webhook(summary: string, schema: string, example: unknown) {
  return {
    post: {
      summary,
      security: [],
      parameters: WEBHOOK_HEADERS,
      requestBody: { required: true, content: json(ref(schema), { example }) },
      responses: {
        '2XX': { description: 'Received, if sent within 5 seconds. The response body is ignored' },
        401: { description: 'The signature does not match. The webhook is retried' },
        default: { description: 'Anything else, including redirects, is a failure. The webhook is retried' },
      },
    },
  };
}

export const WEBHOOKS = {
  'order.status_changed': webhook('Sent to the Status Update Webhook URL', 'StatusWebhook', STATUS_WEBHOOK),
  'order.canceled': webhook('Sent to the Cancel Webhook URL', 'CancelWebhook', CANCEL_WEBHOOK),
};
