// Counts formatted for people, with the matching form of the noun.

const COUNTS = new Intl.NumberFormat('en');

/** `1,234`. */
export function formatCount(count: number): string {
  return COUNTS.format(count);
}

/** `1 order`, `1,234 orders`; the text may be a whole clause: `1 order is late`, `2 orders are late`. */
export function countOf(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${plural(count, one, many)}`;
}

/** For a number that is not directly before its noun or verb. */
export function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
