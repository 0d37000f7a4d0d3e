// The only place that builds links: <Link {...paths.order(id)}>. If a route is renamed in routes.tsx, this file fails
// to compile.
import { linkOptions } from '@tanstack/react-router';

export const paths = {
  start: () => linkOptions({ to: '/' }),
  signIn: (from?: string) => linkOptions({ to: '/sign-in', search: from === undefined ? {} : { from } }),
  forgotPassword: () => linkOptions({ to: '/forgot-password' }),
  setUp: () => linkOptions({ to: '/set-up' }),
  account: () => linkOptions({ to: '/account' }),
  team: () => linkOptions({ to: '/team' }),
  settings: () => linkOptions({ to: '/settings' }),
  integrationSettings: () => linkOptions({ to: '/settings/integration' }),
  restaurantSettings: () => linkOptions({ to: '/settings/restaurant' }),
  courier: () => linkOptions({ to: '/courier' }),
  orders: () => linkOptions({ to: '/orders' }),
  order: (orderId: string) => linkOptions({ to: '/orders/$orderId', params: { orderId } }),
  map: () => linkOptions({ to: '/map' }),
  operatorMap: () => linkOptions({ to: '/operator/map' }),
  webhooks: () => linkOptions({ to: '/webhooks' }),
  waitingWebhooks: (endpoint: string) => linkOptions({ to: '/webhooks', search: { endpoint, outcome: 'waiting' } }),
  overview: () => linkOptions({ to: '/operator/overview' }),
  planning: () => linkOptions({ to: '/operator/planning' }),
  operatorOrder: (orderId: string) => linkOptions({ to: '/operator/orders/$orderId', params: { orderId } }),
  restaurants: (name?: string) =>
    linkOptions({ to: '/operator/restaurants', search: name === undefined ? {} : { q: name } }),
  supportCases: (state?: string) =>
    linkOptions({ to: '/operator/support', search: state === undefined ? {} : { state } }),
  supportCase: (caseId: string) => linkOptions({ to: '/operator/support/$caseId', params: { caseId } }),
  couriers: () => linkOptions({ to: '/operator/couriers' }),
  courierProfile: (courierId: string) => linkOptions({ to: '/operator/couriers/$courierId', params: { courierId } }),
  users: () => linkOptions({ to: '/operator/users' }),
  audit: () => linkOptions({ to: '/operator/audit' }),
  settingsInForce: () => linkOptions({ to: '/operator/settings' }),
} as const;
