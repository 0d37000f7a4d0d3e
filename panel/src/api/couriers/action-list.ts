// The actions that a courier's phone keeps until the service has responded to each. Pure, so that every failure can be
// tested. Actions stay in the order in which the courier did them.
import type { ActKind } from '../../../../src/domain/couriers/courier.ts';

export interface NewAct {
  /** Assigned on the phone and sent with every retry, so that the service applies the action once. */
  id: string;
  courierId: string;
  orderId: string;
  orderNumber: string;
  kind: ActKind;
  /** Only for a problem: its description. */
  detail: string | null;
}

export interface QueuedAct extends NewAct {
  /** When the courier did it, in milliseconds. */
  at: number;
  /** Null while it waits to be sent. */
  refusal: Refusal | null;
}

export interface Refusal {
  /** From the service; null when it was not sent because an earlier step was refused. */
  explanation: string | null;
}

export interface ActList {
  acts: readonly QueuedAct[];
  /** Time of the last action ever added, sent or not. */
  lastAt: number;
}

export type ActAnswer = { outcome: 'applied' } | { outcome: 'refused'; explanation: string };

export const EMPTY_LIST: ActList = { acts: [], lastAt: 0 };

/** Times always increase, even if the phone's clock is set back: the service refuses a step older than its last one. */
export function withAct(list: ActList, act: NewAct, now: number): ActList {
  const at = Math.max(now, list.lastAt + 1);
  return { acts: [...list.acts, { ...act, at, refusal: null }], lastAt: at };
}

export function findNextToSend(list: ActList, courierId: string): QueuedAct | undefined {
  return list.acts.find((act) => act.courierId === courierId && act.refusal === null);
}

/** After a refused step, later steps of the same order are not sent. Problems are not steps and are still sent. */
export function withAnswer(list: ActList, id: string, answer: ActAnswer): ActList {
  const index = list.acts.findIndex((act) => act.id === id);
  const answered = list.acts[index];
  if (answered === undefined) return list;
  if (answer.outcome === 'applied') return { ...list, acts: list.acts.filter((act) => act.id !== id) };
  const follows = (act: QueuedAct, place: number): boolean =>
    place > index && answered.kind !== 'problem' && act.kind !== 'problem' && act.orderId === answered.orderId;
  const acts = list.acts.map((act, place) => {
    if (place === index) return { ...act, refusal: { explanation: answer.explanation } };
    return act.refusal === null && follows(act, place) ? { ...act, refusal: { explanation: null } } : act;
  });
  return { ...list, acts };
}

/** Retries refused actions with their times and positions unchanged: what blocked them may be resolved by now. */
export function withSentAgain(list: ActList, orderId: string): ActList {
  return { ...list, acts: list.acts.map((act) => (act.orderId === orderId ? { ...act, refusal: null } : act)) };
}

export function withoutRefused(list: ActList, orderId: string): ActList {
  return { ...list, acts: list.acts.filter((act) => act.orderId !== orderId || act.refusal === null) };
}
