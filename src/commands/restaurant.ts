import { addRestaurant } from '../actions/restaurants/add-restaurant.ts';
import { changeRestaurant } from '../actions/restaurants/change-restaurant.ts';
import type { RestaurantSettings } from '../actions/restaurants/restaurant-settings.ts';
import { readOpeningHours } from '../contract/panel/restaurants/opening-hours.ts';
import { formatUtc } from '../domain/time.ts';
import { listRestaurants, type RestaurantProfile } from '../store/restaurants/restaurants.ts';
import { findNamedRestaurant } from './lookup.ts';
import { failed } from './refusals.ts';
import { defineCommand, flag, type Json, type JsonRecord, type Outcome } from './terminal/command.ts';
import { decimalNumber, json, onOff, text, wholeNumber } from './terminal/inputs.ts';
import { done, doneList } from './terminal/render.ts';

const COMMON = {
  timezone: text.optional(),
  lat: decimalNumber.optional(),
  lng: decimalNumber.optional(),
  rateLimit: wholeNumber.optional(),
  contactEmail: text.optional(),
  phone: text.optional(),
  preparationMinutes: wholeNumber.optional(),
  courierWaitMinutes: wholeNumber.optional(),
  approvalLimitMinutes: wholeNumber.optional(),
  openingHours: json.optional(),
};

type CommonInput = {
  timezone?: string | undefined;
  lat?: number | undefined;
  lng?: number | undefined;
  rateLimit?: number | undefined;
  contactEmail?: string | undefined;
  phone?: string | undefined;
  preparationMinutes?: number | undefined;
  courierWaitMinutes?: number | undefined;
  approvalLimitMinutes?: number | undefined;
  openingHours?: unknown;
};

const COMMON_USAGE =
  '[--timezone Z] [--lat A --lng B] [--rate-limit N] [--contact-email E] [--phone P] [--preparation-minutes N] ' +
  '[--courier-wait-minutes N] [--approval-limit-minutes N] [--opening-hours JSON]';

type SettingsReading = { kind: 'read'; settings: Partial<RestaurantSettings> } | (Outcome & { kind: 'failed' });

function readSettings(input: CommonInput): SettingsReading {
  const hours =
    input.openingHours === undefined || input.openingHours === null
      ? { ok: true as const, openingHours: null }
      : readOpeningHours(input.openingHours);
  if (!hours.ok) return { kind: 'failed', message: hours.message };
  return {
    kind: 'read',
    settings: {
      ...(input.timezone !== undefined && { timeZone: input.timezone }),
      ...(input.lat !== undefined && { latitude: input.lat }),
      ...(input.lng !== undefined && { longitude: input.lng }),
      ...(input.rateLimit !== undefined && { rateLimitPerMinute: input.rateLimit }),
      ...(input.contactEmail !== undefined && { contactEmail: input.contactEmail }),
      ...(input.phone !== undefined && { phone: input.phone }),
      ...(input.preparationMinutes !== undefined && { preparationMinutes: input.preparationMinutes }),
      ...(input.courierWaitMinutes !== undefined && { courierWaitLimitMinutes: input.courierWaitMinutes }),
      // 0 turns the limit off.
      ...(input.approvalLimitMinutes !== undefined && { approvalLimitMinutes: input.approvalLimitMinutes || null }),
      ...(input.openingHours !== undefined && { openingHours: hours.openingHours }),
    },
  };
}

const restaurantAdd = defineCommand({
  name: 'restaurant add',
  usage: `--name N --restaurant-id R ${COMMON_USAGE} [--auto-approve] [--delivery-metadata]`,
  summary: "Add a restaurant. R is the restaurantId that the integrator's system sends.",
  input: { name: text, restaurantId: text, autoApprove: flag, deliveryMetadata: flag, ...COMMON },
  run: async (input, context) => {
    const reading = readSettings(input);
    if (reading.kind === 'failed') return reading;
    const { name, restaurantId, autoApprove, deliveryMetadata } = input;
    return context.withSession(async (session) => {
      const settings = { ...reading.settings, name, autoApprove, deliveryMetadata };
      const result = await addRestaurant(session, { restaurantId, settings, actor: context.actor });
      if (result.kind === 'refused') return failed(result);
      return done('Restaurant added.', toJson(result.restaurant));
    });
  },
});

const restaurantSet = defineCommand({
  name: 'restaurant set',
  usage: `--restaurant R [--name N] ${COMMON_USAGE} [--auto-approve on|off] [--delivery-metadata on|off]`,
  summary: 'Change the settings of a restaurant. Omitted options keep their values.',
  input: {
    restaurant: text,
    name: text.optional(),
    autoApprove: onOff.optional(),
    deliveryMetadata: onOff.optional(),
    ...COMMON,
  },
  run: async (input, context) => {
    const reading = readSettings(input);
    if (reading.kind === 'failed') return reading;
    const settings = {
      ...reading.settings,
      ...(input.name !== undefined && { name: input.name }),
      ...(input.autoApprove !== undefined && { autoApprove: input.autoApprove }),
      ...(input.deliveryMetadata !== undefined && { deliveryMetadata: input.deliveryMetadata }),
    };
    return context.withSession(async (session) => {
      const restaurant = await findNamedRestaurant(session.db, input.restaurant);
      if (restaurant.kind === 'failed') return restaurant;
      const request = { restaurantId: restaurant.found.id, settings, actor: context.actor };
      const result = await changeRestaurant(session, request);
      if (result.kind === 'refused') return failed(result);
      const headline = result.kind === 'changed' ? 'Restaurant changed.' : 'Nothing to change.';
      return done(headline, toJson(result.restaurant));
    });
  },
});

const restaurantList = defineCommand({
  name: 'restaurant list',
  usage: '',
  summary: 'List all restaurants.',
  input: {},
  run: (_, context) =>
    context.withSession(async (session) => doneList('restaurants', (await listRestaurants(session.db)).map(toJson))),
});

function toJson(restaurant: RestaurantProfile): JsonRecord {
  return {
    restaurantId: restaurant.providerRestaurantId,
    id: restaurant.id,
    name: restaurant.name,
    timezone: restaurant.timeZone,
    latitude: restaurant.latitude,
    longitude: restaurant.longitude,
    integrationEnabled: restaurant.integrationEnabled,
    autoApprove: restaurant.autoApprove,
    rateLimitPerMinute: restaurant.rateLimitPerMinute,
    contactEmail: restaurant.contactEmail,
    phone: restaurant.phone,
    preparationMinutes: restaurant.preparationMinutes,
    courierWaitLimitMinutes: restaurant.courierWaitLimitMinutes,
    approvalLimitMinutes: restaurant.approvalLimitMinutes,
    openingHours: hoursToJson(restaurant.openingHours),
    deliveryMetadata: restaurant.deliveryMetadata,
    createdAt: formatUtc(restaurant.createdAt),
  };
}

function hoursToJson(hours: RestaurantProfile['openingHours']): Json {
  if (hours === null) return null;
  return {
    weekly: hours.weekly.map((spans) => spans.map(({ from, to }) => ({ from, to }))),
    exceptions: hours.exceptions.map(({ date, spans }) => ({
      date,
      spans: spans.map(({ from, to }) => ({ from, to })),
    })),
  };
}

export const restaurantCommands = [restaurantAdd, restaurantSet, restaurantList];
