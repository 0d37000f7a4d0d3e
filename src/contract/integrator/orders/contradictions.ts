// Rules that join several fields of an order, for orders whose fields are each valid by themselves.
import { mayCancelWith } from '../../../domain/orders/cancellation.ts';
import type { FieldProblem } from '../../../domain/refusals.ts';
import type { OrderRequest } from './schema.ts';

export function findContradictions(order: OrderRequest): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const say = (field: string, message: string) => problems.push({ field, message });
  if (order.currency === undefined && hasMoney(order)) {
    say('currency', 'Send the ISO 4217 currency, such as EUR: the order holds amounts');
  }
  const window = order.timing?.dropoffWindow;
  if (window !== undefined && Date.parse(window.end) <= Date.parse(window.start)) {
    say('timing.dropoffWindow.end', 'Send a time that is later than timing.dropoffWindow.start');
  }
  checkPayment(order.payment, say);
  const cancel = order.test?.cancel;
  if (cancel?.by !== undefined && !mayCancelWith(cancel.by, cancel.reason)) {
    say('test.cancel.by', `Leave this out: ${cancel.by} cannot cancel with ${cancel.reason}`);
  }
  return problems;
}

function checkPayment(payment: OrderRequest['payment'], say: (field: string, message: string) => void): void {
  if (payment === undefined) return;
  const { status, amountToCollect, cashTendered } = payment;
  if (status === 'COLLECT_ON_DELIVERY' && amountToCollect === undefined) {
    say('payment.amountToCollect', 'Send what the courier collects: it is required with COLLECT_ON_DELIVERY');
  }
  if (status === 'PAID' && amountToCollect !== undefined && amountToCollect > 0) {
    say('payment.amountToCollect', 'Leave this out: the order is PAID, and nobody may pay twice');
  }
  if (amountToCollect !== undefined && cashTendered !== undefined && cashTendered < amountToCollect) {
    say('payment.cashTendered', 'Send an amount that is not smaller than payment.amountToCollect');
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
