// Texts for work that Waybill could not process: what it means, and what the operator can do.
import type { SubjectKind, Work } from '../../../../src/domain/upkeep/set-aside.ts';
import { formatCount } from '../../../../src/domain/counts.ts';

interface Meaning {
  effect: string;
  toDo: string;
}

const PLANNING = {
  order: {
    effect: 'The planner skips this order, so no courier is offered it automatically.',
    toDo: 'Open the order and move it to a courier, or cancel it.',
  },
  courier: {
    effect: 'The planner skips this courier, so no order is offered to them automatically.',
    toDo: 'Open the courier and check location, vehicle, capacity, and shifts.',
  },
  restaurant: {
    effect: 'The planner skips the orders of this restaurant.',
    toDo: 'Check its address and opening hours, and move its orders manually.',
  },
} as const satisfies Record<SubjectKind, Meaning>;

const WEBHOOKS = {
  order: {
    effect: 'The webhooks of this order are not sent.',
    toDo: 'Report the reason and the ID as a bug.',
  },
  courier: {
    effect: 'Webhooks about this courier are not sent.',
    toDo: 'Report the reason and the ID as a bug.',
  },
  restaurant: {
    effect: 'The webhooks of this restaurant fail, because its webhook secret cannot be read.',
    toDo: 'Ask the restaurant to create a new webhook secret and switch to it.',
  },
} as const satisfies Record<SubjectKind, Meaning>;

const OTHERS = {
  deadlines: {
    effect: 'This order is not canceled automatically when its time is up.',
    toDo: 'Open the order and cancel it if it is too late.',
  },
  robots: {
    effect: 'The test robots skip this order. Couriers and restaurants can still process it.',
    toDo: 'Open the order and cancel it if nobody needs it.',
  },
  audit: {
    effect: 'The audit skips the history of this order.',
    toDo: 'Report the reason and the ID as a bug.',
  },
  endpoint_watch: {
    effect: 'Nobody is notified when the webhooks of this restaurant fail.',
    toDo: 'Check its webhook URLs and contact email.',
  },
  erasure: {
    effect: 'The personal data of this order is not erased when it is due.',
    toDo: 'Report the reason and the ID as a bug.',
  },
} as const satisfies Record<Exclude<Work, 'planning' | 'webhooks'>, Meaning>;

export const setAsideTexts = {
  title: 'Set aside',
  text: 'Waybill could not process these and continues without them. An entry disappears within minutes once its cause is fixed.',
  subject: 'Affected',
  kinds: { order: 'Order', courier: 'Courier', restaurant: 'Restaurant' },
  deleted: { order: 'Deleted order', courier: 'Deleted courier', restaurant: 'Deleted restaurant' },
  idOf: (name: string) => `ID of ${name}`,
  what: 'What happened',
  since: 'Since',
  toDo: 'What to do',
  reason: (reason: string) => `Reason: ${reason}`,
  meaning,
  gone: { effect: 'It was deleted.', toDo: 'Nothing. The entry disappears automatically.' },
  more: (count: number) => `${formatCount(count)} more, newer than these`,
} as const;

function meaning(work: Work, kind: SubjectKind): Meaning {
  if (work === 'planning') return PLANNING[kind];
  return work === 'webhooks' ? WEBHOOKS[kind] : OTHERS[work];
}
