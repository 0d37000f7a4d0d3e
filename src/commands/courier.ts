import { z } from 'zod';
import { addCourier } from '../actions/couriers/add-courier.ts';
import { addShift } from '../actions/couriers/add-shift.ts';
import { changeCourier } from '../actions/couriers/change-courier.ts';
import { setCourierDuty } from '../actions/couriers/set-courier-duty.ts';
import { VEHICLES } from '../domain/couriers/courier.ts';
import { formatUtc } from '../domain/time.ts';
import { listCouriers, type Courier } from '../store/couriers/couriers.ts';
import { findNamedCourier, findNamedRestaurant } from './lookup.ts';
import { failed } from './refusals.ts';
import { defineCommand, type JsonRecord } from './terminal/command.ts';
import { decimalNumber, onOff, text, wholeNumber } from './terminal/inputs.ts';
import { done, doneList } from './terminal/render.ts';

const vehicle = z.enum(VEHICLES, `must be one of ${VEHICLES.join(', ')}`);
const time = z.iso
  .datetime({ offset: true, error: 'must look like 2026-03-01T18:00:00+03:00' })
  .transform((given) => Date.parse(given));

const courierAdd = defineCommand({
  name: 'courier add',
  usage: '--name N [--lat A --lng B] [--phone P] [--vehicle V] [--capacity N] [--pay N] [--restaurant R]',
  summary: 'Add a courier, on duty. With --restaurant, the courier only works for that restaurant.',
  input: {
    name: text,
    lat: decimalNumber.optional(),
    lng: decimalNumber.optional(),
    phone: text.optional(),
    vehicle: vehicle.optional(),
    capacity: wholeNumber.optional(),
    pay: wholeNumber.optional(),
    restaurant: text.optional(),
  },
  run: (input, context) =>
    context.withSession(async (session) => {
      const restaurant =
        input.restaurant === undefined ? null : await findNamedRestaurant(session.db, input.restaurant);
      if (restaurant?.kind === 'failed') return restaurant;
      const result = await addCourier(session, {
        name: input.name,
        phone: input.phone ?? null,
        ...(input.vehicle !== undefined && { vehicle: input.vehicle }),
        ...(input.capacity !== undefined && { capacity: input.capacity }),
        payPerOrder: input.pay ?? null,
        latitude: input.lat ?? null,
        longitude: input.lng ?? null,
        restaurantId: restaurant?.found.id ?? null,
        // Couriers added on the command line should get orders immediately, and have no phone to go on duty with.
        onDuty: true,
        actor: context.actor,
      });
      if (result.kind === 'refused') return failed(result);
      return done('Courier added.', toJson(result.courier));
    }),
});

const courierSet = defineCommand({
  name: 'courier set',
  usage:
    '<courier> [--name N] [--phone P] [--vehicle V] [--capacity N] [--pay N] [--lat A --lng B] [--restaurant R|none]',
  summary: 'Change a courier, given by id or exact name. Omitted options keep their values.',
  input: {
    courier: text,
    name: text.optional(),
    phone: text.optional(),
    vehicle: vehicle.optional(),
    capacity: wholeNumber.optional(),
    pay: wholeNumber.optional(),
    lat: decimalNumber.optional(),
    lng: decimalNumber.optional(),
    restaurant: text.optional(),
  },
  positionals: ['courier'],
  run: (input, context) =>
    context.withSession(async (session) => {
      const { courier: named, restaurant: employer, pay, lat, lng, ...same } = input;
      const courier = await findNamedCourier(session.db, named);
      if (courier.kind === 'failed') return courier;
      const isNamed = employer !== undefined && employer !== 'none';
      const restaurant = isNamed ? await findNamedRestaurant(session.db, employer) : null;
      if (restaurant?.kind === 'failed') return restaurant;
      const given = { ...same, payPerOrder: pay, latitude: lat, longitude: lng };
      const result = await changeCourier(session, {
        courierId: courier.found.id,
        scope: 'everything',
        profile: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
        ...(employer !== undefined && { restaurantId: restaurant?.found.id ?? null }),
        actor: context.actor,
      });
      if (result.kind === 'refused') return failed(result);
      return done('Courier changed.', toJson(result.courier));
    }),
});

const courierShift = defineCommand({
  name: 'courier shift',
  usage: '<courier> --from T --to T',
  summary: 'Add a shift. No pickup is planned after its end. T is a time such as 2026-03-01T18:00:00+03:00.',
  input: { courier: text, from: time, to: time },
  positionals: ['courier'],
  run: (input, context) =>
    context.withSession(async (session) => {
      const { from: startsAt, to: endsAt } = input;
      const courier = await findNamedCourier(session.db, input.courier);
      if (courier.kind === 'failed') return courier;
      const whose = { courierId: courier.found.id, scope: 'everything', actor: context.actor } as const;
      const result = await addShift(session, { ...whose, startsAt, endsAt });
      if (result.kind === 'refused') return failed(result);
      const { id, courierId } = result.shift;
      return done('Shift added.', { shiftId: id, courierId, startsAt: formatUtc(startsAt), endsAt: formatUtc(endsAt) });
    }),
});

const courierDuty = defineCommand({
  name: 'courier duty',
  usage: '<courier> <on|off>',
  summary: 'Set a courier, given by id or exact name, on or off duty.',
  input: { courier: text, duty: onOff },
  positionals: ['courier', 'duty'],
  run: (input, context) =>
    context.withSession(async (session) => {
      const courier = await findNamedCourier(session.db, input.courier);
      if (courier.kind === 'failed') return courier;
      const result = await setCourierDuty(session, {
        courierId: courier.found.id,
        scope: 'everything',
        onDuty: input.duty,
        actor: context.actor,
      });
      if (result.kind === 'refused') return failed(result);
      return done(`The courier is ${input.duty ? 'on' : 'off'} duty.`, toJson(result.courier));
    }),
});

const courierList = defineCommand({
  name: 'courier list',
  usage: '',
  summary: 'List all couriers.',
  input: {},
  run: (_, context) =>
    context.withSession(async (session) => doneList('couriers', (await listCouriers(session.db)).map(toJson))),
});

function toJson(courier: Courier): JsonRecord {
  return {
    courierId: courier.id,
    name: courier.name,
    phone: courier.phone,
    vehicle: courier.vehicle,
    capacity: courier.capacity,
    payPerOrder: courier.payPerOrder,
    latitude: courier.latitude,
    longitude: courier.longitude,
    onDuty: courier.onDuty,
    createdAt: formatUtc(courier.createdAt),
  };
}

export const courierCommands = [courierAdd, courierSet, courierShift, courierDuty, courierList];
