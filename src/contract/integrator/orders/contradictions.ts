// Rules across several fields of an order, for orders in which each field is valid on its own.
import { mayCancelWith } from '../../../domain/orders/cancellation.ts';
import type { FieldProblem } from '../../../domain/refusals.ts';
import type { OrderRequest } from './schema.ts';

export function findContradictions(order: OrderRequest): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const say = (field: string, message: string) => problems.push({ field, message });
  if (order.currency === undefined && hasMoney(order)) {
    say('currency', 'Required because the order contains amounts. Must be an ISO 4217 code, such as EUR');
  }
  const window = order.timing?.dropoffWindow;
  if (window !== undefined && Date.parse(window.end) <= Date.parse(window.start)) {
    say('timing.dropoffWindow.end', 'Must be later than timing.dropoffWindow.start');
  }
  checkPayment(order.payment, say);
  const cancel = order.test?.cancel;
  if (cancel?.by !== undefined && !mayCancelWith(cancel.by, cancel.reason)) {
    say('test.cancel.by', `Must be omitted: ${cancel.by} cannot cancel with ${cancel.reason}`);
  }
  return problems;
}

function checkPayment(payment: OrderRequest['payment'], say: (field: string, message: string) => void): void {
  if (payment === undefined) return;
  const { status, amountToCollect, cashTendered } = payment;
  if (status === 'COLLECT_ON_DELIVERY' && amountToCollect === undefined) {
    say('payment.amountToCollect', 'Required because payment.status is COLLECT_ON_DELIVERY');
  }
  if (status === 'PAID' && amountToCollect !== undefined && amountToCollect > 0) {
    say('payment.amountToCollect', 'Must be 0 or omitted because payment.status is PAID');
  }
  if (amountToCollect !== undefined && cashTendered !== undefined && cashTendered < amountToCollect) {
    say('payment.cashTendered', 'Must be at least payment.amountToCollect');
  }
}

function hasMoney({ items, totals, tip, payment }: OrderRequest): boolean {
  return (
    tip !== undefined ||
    payment?.amountToCollect !== undefined ||
    payment?.cashTendered !== undefined ||
    (totals !== undefined &&
      hasAny([totals.subtotal, totals.tax, totals.deliveryFee, totals.discount, totals.total])) ||
    (items ?? []).some(
      (item) => item.unitPrice !== undefined || item.options?.some((option) => option.unitPrice !== undefined) === true,
    )
  );
}

function hasAny(values: unknown[]): boolean {
  return values.some((value) => value !== undefined);
}
