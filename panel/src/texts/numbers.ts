const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** "214 MB", "3.4 GB": at most three digits, enough to see growth. */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1000 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${amount < 10 && unit > 0 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[unit]}`;
}
