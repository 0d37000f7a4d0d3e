import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { formatMoney } from '../../../parts/orders/money.ts';

/** With cash, the last step also confirms the payment. */
export function nameNextAct({ nextAct, cash }: Pick<CourierStop, 'nextAct' | 'cash'>): string {
  if (nextAct !== 'delivered' || cash === null) return courierTexts.next[nextAct];
  const { method, toCollect } = cash;
  return courierTexts.deliveredAndPaid[method](formatMoney(toCollect.amount, toCollect.currency));
}
