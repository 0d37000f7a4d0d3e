// For every route, a request that succeeds with the caller's own IDs. Examples read IDs by name from their argument, so
// the matrix knows which IDs a request contains and can replace each of them. IDs in the path need no example.
import type { JsonValue } from '../../src/domain/canonical-json.ts';
import { ACT_KINDS } from '../../src/domain/couriers/courier.ts';
import type { IdKind, Ids, OrderStage } from './tenant.ts';

export interface Example {
  /** State of the order that `orderId` refers to. */
  stage?: OrderStage;
  query?(this: void, ids: Ids): Record<string, string>;
  body?(this: void, ids: Ids): JsonValue;
  headers?(this: void, ids: Ids): Record<string, string>;
  /** Ends or changes the session, so it runs in a new session of this role. */
  uses?: 'owner' | 'operator' | 'acting operator';
  /** Why the request fails even with the caller's own IDs. */
  unreached?: string;
  /** A foreign ID whose answer differs from that for an absent one, and why that is accepted. */
  distinguishes?: { kind: IdKind; reason: string };
  /** Tables whose foreign rows may change. */
  touches?: readonly string[];
}

const PLAIN: Example = {};
const A_PIXEL = 'iVBORw0KGgo=';
const PASSWORD = 'a password that is wrong';
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
const LATER = new Date(Date.now() + 90_000_000).toISOString();
const LONG_AGO = '2026-03-01T12:00:00Z';
const NEEDS_SECRET = 'Needs a secret and names no tenant';

const sessionExamples: Record<string, Example[]> = {
  'GET /api/session': [PLAIN],
  'POST /api/session': [{ body: ({ email }) => ({ email, password: PASSWORD }), unreached: 'Wrong password' }],
  'POST /api/session/second-factor': [{ body: () => ({ code: '123456' }), unreached: NEEDS_SECRET }],
  'DELETE /api/session': [{ uses: 'owner' }],
  'POST /api/session/everywhere': [{ uses: 'owner' }],
  'POST /api/session/password': [
    {
      uses: 'owner',
      body: () => ({ currentPassword: PASSWORD, newPassword: `${PASSWORD} too` }),
      unreached: NEEDS_SECRET,
    },
  ],
  'POST /api/password-reset': [
    // Anyone may request a reset; the link is mailed to the account's owner.
    { body: ({ email }) => ({ email }), touches: ['account_links', 'mail_outbox', 'audit_entries'] },
  ],
  'POST /api/account-link': [{ body: () => ({ token: 'made up' }), unreached: NEEDS_SECRET }],
  'POST /api/account-link/password': [
    { body: () => ({ token: 'made up', password: PASSWORD }), unreached: NEEDS_SECRET },
  ],
  'POST /api/set-up': [
    {
      body: ({ email }) => ({ code: 'made up', email, name: '', password: PASSWORD }),
      unreached: 'An operator already exists',
    },
  ],
  'POST /api/session/two-factor': [{ uses: 'owner', body: () => ({ password: PASSWORD }), unreached: NEEDS_SECRET }],
  'POST /api/session/two-factor/confirm': [
    { uses: 'owner', body: () => ({ code: '123456' }), unreached: NEEDS_SECRET },
  ],
  'POST /api/session/two-factor/disable': [
    { uses: 'owner', body: () => ({ password: PASSWORD }), unreached: NEEDS_SECRET },
  ],
  'POST /api/session/two-factor/backup-codes': [
    { uses: 'owner', body: () => ({ password: PASSWORD }), unreached: NEEDS_SECRET },
  ],
  'DELETE /api/session/impersonation': [{ uses: 'acting operator' }],
  'GET /api/live': [PLAIN, { headers: ({ liveCursor }) => ({ 'last-event-id': liveCursor }) }],
  'GET /api/map-style': [PLAIN],
};

const teamExamples: Record<string, Example[]> = {
  'GET /api/team': [PLAIN],
  'POST /api/team': [
    { body: () => ({ email: `new-${crypto.randomUUID()}@example.com`, role: 'staff' }) },
    {
      body: ({ email }) => ({ email, role: 'staff' }),
      unreached: 'They are on the team already',
      distinguishes: { kind: 'email', reason: 'decision 0051: an address has one account' },
    },
  ],
  'POST /api/team/:userId/invitation': [PLAIN],
  'PATCH /api/team/:userId': [{ body: () => ({ role: 'owner' }) }, { body: () => ({ isDisabled: true }) }],
  'DELETE /api/team/:userId': [PLAIN],
};

const courierExamples: Record<string, Example[]> = {
  'GET /api/courier/work': [PLAIN],
  'POST /api/courier/duty': [{ body: () => ({ onDuty: true }) }],
  'POST /api/courier/position': [{ body: () => ({ latitude: 40.99, longitude: 29.03 }) }],
  'POST /api/courier/offers/:orderId/accept': [{ stage: 'offered' }],
  'POST /api/courier/offers/:orderId/decline': [{ stage: 'offered', body: () => ({ reason: 'Too far' }) }],
  'POST /api/courier/acts': [
    ...ACT_KINDS.map((kind): Example => ({
      stage: 'prepared',
      body: ({ orderId }) => actOf(crypto.randomUUID(), orderId, kind),
    })),
    { stage: 'prepared', body: ({ actId, orderId }) => actOf(actId, orderId, 'arrived') },
  ],
  'POST /api/courier/orders/:orderId/cancel': [
    { stage: 'accepted', body: () => ({ cancelReasonId: 'WRONG_ADDRESS' }) },
  ],
  'GET /api/courier/orders/:orderId': [{ stage: 'accepted' }, { stage: 'offered' }, { stage: 'canceled' }],
  'PUT /api/courier/photo': [{ body: () => ({ content: A_PIXEL }) }],
  'GET /api/courier/photo': [PLAIN],
};

function actOf(id: string, orderId: string, kind: string) {
  return { acts: [{ id, orderId, kind, at: new Date().toISOString() }] };
}

const orderExamples: Record<string, Example[]> = {
  'GET /api/map': [PLAIN],
  'GET /api/planning/alarms': [PLAIN],
  'GET /api/planning/positions': [PLAIN],
  'GET /api/planning/orders/:orderId': [{ stage: 'problem' }],
  'POST /api/planning/orders/:orderId/problem/dismiss': [{ stage: 'problem' }],
  'GET /api/orders': [
    PLAIN,
    { query: () => ({ state: 'CANCELED' }) },
    { query: ({ orderId }) => ({ ids: orderId }) },
    { query: ({ orderId }) => ({ q: orderId }) },
    { query: ({ providerOrderId }) => ({ q: providerOrderId }) },
    { query: ({ orderNumber }) => ({ q: orderNumber }) },
  ],
  'GET /api/orders/:orderId': [{ stage: 'accepted' }, { stage: 'canceled' }],
  'GET /api/orders/:orderId/courier-photo': [{ stage: 'accepted' }],
  'GET /api/orders/:orderId/timeline': [{ stage: 'problem' }],
  'GET /api/orders/:orderId/couriers': [
    { stage: 'approved' },
    { stage: 'approved', query: ({ courierName }) => ({ q: courierName }) },
  ],
  'POST /api/orders/:orderId/commands': [
    { body: () => ({ command: 'approve' }) },
    { stage: 'approved', body: ({ courierId }) => ({ command: 'assign', courierId }) },
  ],
  'POST /api/orders/:orderId/cancel': [{ body: () => ({ cancelReasonId: 'OUT_OF_STOCK' }) }],
  'POST /api/orders/approve': [{ body: ({ orderId }) => ({ orderIds: [orderId] }) }],
  'PATCH /api/orders/:orderId/dropoff': [{ body: () => ({ location: { latitude: 41, longitude: 29 } }) }],
  'POST /api/orders/:orderId/deliveries/:eventId/resend': [{ stage: 'approved' }],
};

const integrationExamples: Record<string, Example[]> = {
  'GET /api/integration': [PLAIN],
  'PUT /api/integration/enabled': [{ body: () => ({ isEnabled: true, sendsHeld: true }) }],
  'PUT /api/integration/delivery-metadata': [{ body: () => ({ isOn: false }) }],
  'PUT /api/integration/webhook-urls': [
    {
      body: () => ({
        status: 'https://localhost:65535/status',
        cancel: 'https://localhost:65535/cancel',
        sendsHeld: true,
      }),
    },
  ],
  'POST /api/integration/webhook-check': [
    { body: () => ({ endpoint: 'status', url: 'https://localhost:65535/status' }) },
  ],
  'POST /api/integration/api-keys': [{ body: () => ({ lifetimeDays: null }) }],
  'DELETE /api/integration/api-keys/:keyId': [PLAIN],
  'POST /api/integration/basic-credentials': [PLAIN],
  'DELETE /api/integration/basic-credentials/:credentialId': [PLAIN],
  'POST /api/integration/webhook-secrets': [PLAIN],
  'POST /api/integration/webhook-secrets/:secretId/switch': [PLAIN],
  'DELETE /api/integration/webhook-secrets/:secretId': [PLAIN],
  'GET /api/restaurant': [PLAIN],
  'PATCH /api/restaurant': [{ body: () => ({ preparationMinutes: 12 }) }],
  'GET /api/webhooks': [
    PLAIN,
    { query: () => ({ outcome: 'waiting' }) },
    { query: ({ orderId }) => ({ order: orderId }) },
    { query: ({ providerOrderId }) => ({ order: providerOrderId, outcome: 'held' }) },
    { query: ({ orderNumber }) => ({ order: orderNumber }) },
    { query: ({ attemptId }) => ({ before: attemptId }) },
  ],
  'GET /api/webhooks/health': [PLAIN],
  'GET /api/webhooks/figures': [{ query: () => ({ range: '24h' }) }],
  'GET /api/webhooks/failed': [{ query: () => ({ since: LONG_AGO }) }],
  'GET /api/webhooks/events/:eventId': [PLAIN],
  'POST /api/webhooks/failed': [{ body: () => ({ since: LONG_AGO }) }],
  'POST /api/webhooks/events/:eventId/discard': [PLAIN],
  'POST /api/webhooks/signature': [{ body: () => ({ body: '{}', signature: 'sha256=00' }) }],
  'POST /api/webhooks/receiver-check': [{ body: () => ({ endpoint: 'status' }) }],
};

const operatorOrderExamples: Record<string, Example[]> = {
  'POST /api/operator/impersonation': [{ uses: 'operator', body: ({ restaurantId }) => ({ restaurantId }) }],
  'GET /api/operator/map': [PLAIN],
  'GET /api/operator/planning/alarms': [PLAIN],
  'GET /api/operator/planning/positions': [PLAIN],
  'GET /api/operator/planning/areas': [PLAIN],
  'GET /api/operator/planning/orders': [PLAIN],
  'POST /api/operator/planning/replan': [PLAIN],
  'GET /api/operator/planning/orders/:orderId': [PLAIN],
  'GET /api/operator/planning/orders/:orderId/couriers': [{ query: ({ courierName }) => ({ q: courierName }) }],
  'POST /api/operator/planning/orders/:orderId/lock': [{ stage: 'approved', body: ({ courierId }) => ({ courierId }) }],
  'POST /api/operator/planning/orders/:orderId/move': [{ stage: 'approved', body: ({ courierId }) => ({ courierId }) }],
  'POST /api/operator/planning/orders/:orderId/cancel': [
    { body: () => ({ canceledBy: 'Restaurant', cancelReasonId: 'OUT_OF_STOCK' }) },
  ],
};

const operatorExamples: Record<string, Example[]> = {
  'GET /api/operator/overview': [PLAIN],
  'GET /api/operator/audit': [
    { query: ({ restaurantId }) => ({ restaurantId }) },
    { query: ({ auditId }) => ({ before: auditId }) },
  ],
  'GET /api/operator/settings': [PLAIN],
  'GET /api/operator/restaurants': [{ query: ({ providerRestaurantId }) => ({ after: providerRestaurantId }) }],
  'POST /api/operator/restaurants': [
    {
      body: () => ({
        restaurantId: `new-${crypto.randomUUID()}`,
        name: 'New',
        timeZone: 'Europe/Istanbul',
        contactEmail: null,
        location: null,
        autoApprove: false,
        rateLimitPerMinute: 300,
      }),
    },
  ],
  'PATCH /api/operator/restaurants/:restaurantId': [
    { body: () => ({ rateLimitPerMinute: 1_000_000 }) },
    { body: () => ({ integrationEnabled: true }) },
  ],
  'GET /api/operator/restore-notice': [PLAIN],
  // An epoch of any tenant counts the events of all tenants.
  'POST /api/operator/restore-notice/:epochId/dismiss': [{ touches: ['epoch_sequences'] }],
  'GET /api/operator/support-cases': [PLAIN],
  'GET /api/operator/support-cases/:caseId': [PLAIN],
  'POST /api/operator/support-cases/:caseId/contacted': [PLAIN],
  'POST /api/operator/support-cases/:caseId/notes': [{ body: () => ({ note: 'Called them' }) }],
  'POST /api/operator/support-cases/:caseId/resolve': [PLAIN],
  'POST /api/operator/support-cases/:caseId/probe': [PLAIN],
  'GET /api/operator/couriers': [{ query: ({ courierId }) => ({ after: courierId }) }],
  'POST /api/operator/couriers': [
    {
      body: ({ providerRestaurantId }) => ({
        name: 'New',
        phone: null,
        vehicle: 'BICYCLE',
        capacity: 4,
        payPerOrder: null,
        location: null,
        restaurantId: providerRestaurantId,
      }),
    },
  ],
  'GET /api/operator/couriers/:courierId': [PLAIN],
  'GET /api/operator/couriers/:courierId/photo': [PLAIN],
  'PATCH /api/operator/couriers/:courierId': [
    { body: ({ providerRestaurantId }) => ({ restaurantId: providerRestaurantId, capacity: 5 }) },
  ],
  'POST /api/operator/couriers/:courierId/duty': [{ body: () => ({ onDuty: true }) }],
  'POST /api/operator/couriers/:courierId/shifts': [{ body: () => ({ startsAt: TOMORROW, endsAt: LATER }) }],
  'DELETE /api/operator/couriers/:courierId/shifts/:shiftId': [PLAIN],
  'GET /api/operator/users': [{ query: ({ email }) => ({ after: email }) }],
  'POST /api/operator/users': [
    { body: ({ restaurantId }) => ({ ...newPerson(), role: 'staff', restaurantId }) },
    { body: ({ courierId }) => ({ ...newPerson(), role: 'courier', courierId }) },
  ],
  'POST /api/operator/users/:userId/invitation': [PLAIN],
  'PATCH /api/operator/users/:userId': [{ body: () => ({ isDisabled: true }) }],
  'POST /api/operator/users/:userId/two-factor/reset': [{ unreached: 'They have no second factor' }],
  'POST /api/operator/users/:userId/sign-out': [PLAIN],
  'DELETE /api/operator/users/:userId': [PLAIN],
};

function newPerson() {
  return { email: `new-${crypto.randomUUID()}@example.com`, name: '' };
}

const integratorExamples: Record<string, Example[]> = {
  'POST /webhook/third-party/order': [
    {
      body: ({ providerRestaurantId }) => ({
        orderId: `new-${crypto.randomUUID()}`,
        restaurantId: providerRestaurantId,
        dropoff: { address: { line1: 'Moda Caddesi 12' } },
      }),
    },
    // Order ids are per restaurant: another restaurant's id is free to use.
    {
      query: () => ({ dryRun: 'true' }),
      body: ({ providerRestaurantId, providerOrderId }) => ({
        orderId: providerOrderId,
        restaurantId: providerRestaurantId,
        dropoff: { address: { line1: 'Moda Caddesi 12' } },
      }),
    },
  ],
  'GET /webhook/third-party/order/:orderId': [{ stage: 'accepted' }, { stage: 'canceled' }],
  'POST /webhook/third-party/order/:orderId/cancel': [{ body: () => ({ cancelReasonId: 'OUT_OF_STOCK' }) }],
  'GET /webhook/third-party/events': [PLAIN, { query: ({ feedCursor }) => ({ after: feedCursor }) }],
};

export const ROUTE_EXAMPLES: Record<string, Example[]> = {
  ...sessionExamples,
  ...teamExamples,
  ...courierExamples,
  ...orderExamples,
  ...integrationExamples,
  ...operatorOrderExamples,
  ...operatorExamples,
  ...integratorExamples,
};
