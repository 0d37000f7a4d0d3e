import { expect, test } from 'vitest';
import { eventsOf } from '../../domain/webhooks/events.ts';
import { PANEL_CODES, SHARED_CODES } from '../../domain/refusals.ts';
import * as examples from './answer-examples.ts';
import * as answers from './answers.ts';
import { openApiDocument } from './openapi.ts';
import { WEBHOOKS } from './openapi-operations.ts';
import { REFUSAL_STATUS } from '../refusal-status.ts';

const document = JSON.parse(JSON.stringify(openApiDocument()));

test('every reference resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(references.length).toBeGreaterThan(20);
  for (const reference of references) {
    const found = reference.split('/').reduce((value, key) => value?.[key], document);
    expect([reference, typeof found]).toEqual([reference, 'object']);
  }
});

test.each([
  ['OrderAnswer', answers.orderAnswerSchema, examples.ORDER_ANSWER],
  ['OrderAnswer', answers.orderAnswerSchema, examples.REPLAYED_ANSWER],
  ['DryRunAnswer', answers.dryRunAnswerSchema, examples.DRY_RUN_ANSWER],
  ['OrderReadAnswer', answers.orderReadAnswerSchema, examples.ORDER_READ_ANSWER],
  ['OrderReadAnswer', answers.orderReadAnswerSchema, examples.CANCELED_ANSWER],
  ['EventsAnswer', answers.eventsAnswerSchema, examples.EVENTS_ANSWER],
  ['StatusWebhook', answers.statusWebhookSchema, examples.STATUS_WEBHOOK],
  ['CancelWebhook', answers.cancelWebhookSchema, examples.CANCEL_WEBHOOK],
] as const)('the example of %s has exactly the fields of its schema', (_name, schema, example) => {
  expect(schema.strict().parse(example)).toEqual(example);
});

test('every error code has an example under its own status', () => {
  const calls: { responses: Record<string, { content?: Record<string, { examples: object }> }> }[] = Object.values(
    document.paths,
  ).flatMap((path) => Object.values(Object(path)));
  const shown = calls.flatMap(({ responses }) =>
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, response]) =>
        Object.keys(response.content?.['application/json']?.examples ?? {}).map((code) => `${code} ${status}`),
      ),
  );
  // An unknown URL belongs to no operation, and the panel has its own codes.
  const elsewhere = new Set<string>(['REQ_005', ...PANEL_CODES]);
  const expected = Object.entries(REFUSAL_STATUS).filter(([code]) => !elsewhere.has(code));
  expect(new Set(shown)).toEqual(new Set(expected.map(([code, status]) => `${code} ${status}`)));
});

test('an error example matches the common error schema', () => {
  for (const code of SHARED_CODES) {
    const example = examples.exampleError(code);
    expect(answers.errorAnswerSchema.strict().parse(example)).toEqual(example);
  }
});

test('additions to the contract are marked as extensions', () => {
  const marked = Object.entries(document.paths).filter(([, path]) =>
    Object.values(Object(path)).some((call) => Object(call)['x-waybill-extension'] === true),
  );
  expect(Object.keys(document.paths)).toHaveLength(marked.length + 1);
  expect(document.paths['/webhook/third-party/order'].post['x-waybill-extension']).toBeUndefined();
});

test('webhooks are documented exactly as they are sent', () => {
  const identity = {
    providerOrderId: 'A-1002',
    serviceOrderId: examples.STATUS_WEBHOOK.serviceOrderId,
    orderNumber: '100042',
    providerRestaurantId: 'kadikoy-1',
    timeZone: 'Europe/Istanbul',
  };
  const change = { from: 'NEW', to: 'CANCELED', version: 1, at: Date.parse('2026-03-01T09:00:00Z') } as const;
  const cancellation = { reasonId: 'OTHER', by: 'Restaurant', text: 'é' } as const;
  const [status, cancel] = eventsOf(change, identity, cancellation);
  const schemas = [answers.statusWebhookSchema, answers.cancelWebhookSchema];
  for (const [index, event] of [status, cancel].entries()) {
    const body: object = JSON.parse(event?.body ?? '');
    expect(schemas[index]?.strict().parse(body)).toEqual(body);
    expect(Object.keys(body)).toEqual(Object.keys(schemas[index]?.shape ?? {}));
  }
  expect(Object.keys(WEBHOOKS)).toEqual([status?.type, cancel?.type]);
});
