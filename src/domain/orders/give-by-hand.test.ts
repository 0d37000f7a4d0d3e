import { expect, test } from 'vitest';
import { OFFER_LIMIT_MS } from '../couriers/courier.ts';
import { whyNotGiveByHand, type GivingBar } from './give-by-hand.ts';
import type { OrderState } from './order.ts';

const NOW = 1_000_000;
const ORDER = {
  restaurantId: 'kebap',
  state: 'VALIDATED' as OrderState,
  courierId: null,
  courierOfferedAt: null,
  courierAcceptedAt: null,
};
const OFFERED = { ...ORDER, state: 'ASSIGNED' as OrderState, courierId: 'ada', courierOfferedAt: NOW - 1 };
const POOL = { id: 'ada', restaurantId: null, onDuty: true };

type Rule = Parameters<typeof whyNotGiveByHand>;

const CASES: [name: string, order: Rule[0], courier: Rule[1], bar: GivingBar | null][] = [
  ['the pool serves every restaurant', ORDER, POOL, null],
  ['its own courier', ORDER, { ...POOL, restaurantId: 'kebap' }, null],
  ['the courier of another restaurant', ORDER, { ...POOL, restaurantId: 'sushi' }, 'OTHER_RESTAURANT'],
  ['off duty', ORDER, { ...POOL, onDuty: false }, 'OFF_DUTY'],
  ['off duty, but the order is already theirs', OFFERED, { ...POOL, onDuty: false }, 'HAS_IT'],
  ['offered to them', OFFERED, POOL, 'HAS_IT'],
  ['offered to someone else', { ...OFFERED, courierId: 'bo' }, POOL, null],
  ['their offer has expired', { ...OFFERED, courierOfferedAt: NOW - OFFER_LIMIT_MS }, POOL, null],
  ['accepted by them', { ...OFFERED, state: 'ACCEPTED', courierAcceptedAt: NOW - OFFER_LIMIT_MS }, POOL, 'HAS_IT'],
  ['accepted by someone else', { ...OFFERED, state: 'ACCEPTED', courierId: 'bo', courierAcceptedAt: NOW }, POOL, null],
  ['ready without a courier', { ...ORDER, state: 'PREPARED' }, POOL, null],
  ['routed', { ...ORDER, state: 'ROUTED' }, POOL, null],
  ['not approved', { ...ORDER, state: 'NEW' }, POOL, 'STATE'],
  ['on its way with someone else', { ...OFFERED, state: 'ON_DELIVERY', courierId: 'bo' }, POOL, 'STATE'],
  ['delivered', { ...OFFERED, state: 'DELIVERED', courierId: 'bo' }, POOL, 'STATE'],
  ['canceled', { ...ORDER, state: 'CANCELED' }, POOL, 'STATE'],
];

test.each(CASES.map(([name, order, courier, bar]) => ({ name, order, courier, bar })))(
  '$name',
  ({ order, courier, bar }) => {
    expect(whyNotGiveByHand(order, courier, NOW)).toBe(bar);
  },
);
