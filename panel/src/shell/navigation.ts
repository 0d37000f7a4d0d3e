// The navigation items of each role. The server enforces permissions; this only keeps the list short.
import type { LucideIcon } from 'lucide-react';
import {
  Activity,
  Bike,
  ClipboardList,
  LifeBuoy,
  MapPinned,
  Route,
  ScrollText,
  Settings,
  SlidersHorizontal,
  Store,
  UserRoundCog,
  Users,
  Webhook,
} from 'lucide-react';
import type { PanelRole } from '../api/people/session.ts';
import { paths } from '../paths.ts';
import { shellTexts } from '../texts/shell.ts';

export interface NavigationItem {
  label: string;
  Icon: LucideIcon;
  link: { to: string };
  roles: readonly PanelRole[];
  /** The second key after g. */
  key: string;
  /** Shown in the bottom bar on phones; the others are in its menu. */
  isPrimary: boolean;
}

const ITEMS: readonly NavigationItem[] = [
  {
    label: shellTexts.deliveries,
    Icon: Bike,
    link: paths.courier(),
    roles: ['courier'],
    key: 'd',
    isPrimary: true,
  },
  {
    label: shellTexts.orders,
    Icon: ClipboardList,
    link: paths.orders(),
    roles: ['owner', 'staff'],
    key: 'o',
    isPrimary: true,
  },
  {
    label: shellTexts.map,
    Icon: MapPinned,
    link: paths.map(),
    roles: ['owner', 'staff'],
    key: 'm',
    isPrimary: true,
  },
  {
    label: shellTexts.webhooks,
    Icon: Webhook,
    link: paths.webhooks(),
    roles: ['owner', 'staff'],
    key: 'w',
    isPrimary: true,
  },
  { label: shellTexts.team, Icon: Users, link: paths.team(), roles: ['owner', 'staff'], key: 't', isPrimary: false },
  {
    label: shellTexts.settings,
    Icon: Settings,
    link: paths.settings(),
    roles: ['owner', 'staff'],
    key: 's',
    isPrimary: true,
  },
  operatorItem(shellTexts.overview, Activity, { link: paths.overview(), key: 'o', isPrimary: true }),
  operatorItem(shellTexts.map, MapPinned, { link: paths.operatorMap(), key: 'm', isPrimary: true }),
  operatorItem(shellTexts.planning, Route, { link: paths.planning(), key: 'p', isPrimary: false }),
  operatorItem(shellTexts.restaurants, Store, { link: paths.restaurants(), key: 'r', isPrimary: false }),
  operatorItem(shellTexts.support, LifeBuoy, { link: paths.supportCases(), key: 's', isPrimary: true }),
  operatorItem(shellTexts.couriers, Bike, { link: paths.couriers(), key: 'c', isPrimary: true }),
  operatorItem(shellTexts.users, UserRoundCog, { link: paths.users(), key: 'u', isPrimary: false }),
  operatorItem(shellTexts.audit, ScrollText, { link: paths.audit(), key: 'a', isPrimary: false }),
  operatorItem(shellTexts.settings, SlidersHorizontal, { link: paths.settingsInForce(), key: 'e', isPrimary: false }),
];

function operatorItem(
  label: string,
  Icon: LucideIcon,
  rest: Pick<NavigationItem, 'link' | 'key' | 'isPrimary'>,
): NavigationItem {
  return { label, Icon, roles: ['operator'], ...rest };
}

export function navigationOf(role: PanelRole): readonly NavigationItem[] {
  return ITEMS.filter((item) => item.roles.includes(role));
}

/** The place name shown to users without a restaurant. */
export function nameOfPlace(role: PanelRole): string {
  return role === 'courier' ? shellTexts.courier : shellTexts.operator;
}
