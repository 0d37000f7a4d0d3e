// Numbers of things as people read them, with the noun in its right form.

const COUNTS = new Intl.NumberFormat('en');

/** `1,234`. */
export function formatCount(count: number): string {
  return COUNTS.format(count);
}

/** `1 order`, `1,234 orders`; what follows may be a whole clause: `1 order is late`, `2 orders are late`. */
export function countOf(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${plural(count, one, many)}`;
}

/** For where the number stands apart from its noun or verb. */
export function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
