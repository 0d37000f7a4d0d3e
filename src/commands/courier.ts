import { addCourier } from '../actions/add-courier.ts';
import { setCourierDuty } from '../actions/set-courier-duty.ts';
import { listCouriers, type Courier } from '../store/couriers.ts';
import { defineCommand, type JsonRecord } from './command.ts';
import { decimalNumber, onOff, text } from './inputs.ts';
import { done, doneList, toIso } from './render.ts';

const courierAdd = defineCommand({
  name: 'courier add',
  usage: '--name N [--lat A --lng B] [--phone P] [--restaurant R]',
  summary: 'Add a courier, on duty; of one restaurant with --restaurant, else open to all.',
  input: {
    name: text,
    lat: decimalNumber.optional(),
    lng: decimalNumber.optional(),
    phone: text.optional(),
    restaurant: text.optional(),
  },
  run: (input, context) =>
    context.withSession(async (session) => {
      const result = await addCourier(session, {
        name: input.name,
        phone: input.phone ?? null,
        latitude: input.lat ?? null,
        longitude: input.lng ?? null,
        restaurantId: input.restaurant ?? null,
        actor: context.actor,
      });
      if (result.kind === 'refused') return { kind: 'failed', message: result.message };
      return done('Courier added.', toJson(result.courier));
    }),
});

const courierDuty = defineCommand({
  name: 'courier duty',
  usage: '<courier> <on|off>',
  summary: 'Put a courier on or off duty, by id or exact name.',
  input: { courier: text, duty: onOff },
  positionals: ['courier', 'duty'],
  run: (input, context) =>
    context.withSession(async (session) => {
      const result = await setCourierDuty(session, {
        courier: input.courier,
        onDuty: input.duty,
        actor: context.actor,
      });
      if (result.kind === 'refused') return { kind: 'failed', message: result.message };
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
    latitude: courier.latitude,
    longitude: courier.longitude,
    onDuty: courier.onDuty,
    createdAt: toIso(courier.createdAt),
  };
}

export const courierCommands = [courierAdd, courierDuty, courierList];
