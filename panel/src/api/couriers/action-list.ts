// The acts that a courier's phone keeps until the service has answered for each of them: pure, so that whatever happens
// to the phone can be tried out. Acts stay in the order in which they were done.
import type { ActKind } from '../../../../src/domain/couriers/courier.ts';

export interface NewAct {
  /** Given here and kept for ever: however often the act is sent, it is the same act. */
  id: string;
  courierId: string;
  orderId: string;
  orderNumber: string;
  kind: ActKind;
  /** For a problem: what it is. */
  detail: string | null;
}

export interface KeptAct extends NewAct {
  /** When it was done, in milliseconds. */
  at: number;
  /** Null while it waits to be sent. */
  refusal: Refusal | null;
}

export interface Refusal {
  /** The service's words; null when it was not sent because a step before it was refused. */
  explanation: string | null;
}

export interface ActList {
  acts: readonly KeptAct[];
  /** Of the last act that was ever added, sent or not. */
  lastAt: number;
}

export type ActAnswer = { outcome: 'applied' } | { outcome: 'refused'; explanation: string };

export const EMPTY_LIST: ActList = { acts: [], lastAt: 0 };

/** A phone's clock may be set back between two acts; the service refuses a step from before one that it knows. */
export function withAct(list: ActList, act: NewAct, now: number): ActList {
  const at = Math.max(now, list.lastAt + 1);
  return { acts: [...list.acts, { ...act, at, refusal: null }], lastAt: at };
}

export function findNextToSend(list: ActList, courierId: string): KeptAct | undefined {
  return list.acts.find((act) => act.courierId === courierId && act.refusal === null);
}

/** What follows a refused step of the same order is not sent, except problems: they are no steps, and do not wait. */
export function withAnswer(list: ActList, id: string, answer: ActAnswer): ActList {
  const index = list.acts.findIndex((act) => act.id === id);
  const answered = list.acts[index];
  if (answered === undefined) return list;
  if (answer.outcome === 'applied') return { ...list, acts: list.acts.filter((act) => act.id !== id) };
  const follows = (act: KeptAct, place: number): boolean =>
    place > index && answered.kind !== 'problem' && act.kind !== 'problem' && act.orderId === answered.orderId;
  const acts = list.acts.map((act, place) => {
    if (place === index) return { ...act, refusal: { explanation: answer.explanation } };
    return act.refusal === null && follows(act, place) ? { ...act, refusal: { explanation: null } } : act;
  });
  return { ...list, acts };
}

/** The same acts with the same times, where they stood: what they waited for may have happened. */
export function withSentAgain(list: ActList, orderId: string): ActList {
  return { ...list, acts: list.acts.map((act) => (act.orderId === orderId ? { ...act, refusal: null } : act)) };
}

export function withoutRefused(list: ActList, orderId: string): ActList {
  return { ...list, acts: list.acts.filter((act) => act.orderId !== orderId || act.refusal === null) };
}
