/** Amounts are in minor units; how many make up one major unit depends on the currency. */
export function formatMoney(amount: number, currency: string | null): string {
  if (currency === null) return String(amount);
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
