// Columns as array parameters. Rows on a hot path travel so: reading arrays costs PostgreSQL half of what reading
// JSON does, and writing them here costs less than the driver's own conversion, which looks at every value's type.

type Plain = string | number | boolean | null;

/** For ids, numbers, states and the like: values of our own that hold no quotes, commas, braces or blanks. */
export function plainArray(values: readonly Plain[]): string {
  let text = '{';
  for (const [index, value] of values.entries()) text += `${index === 0 ? '' : ','}${value ?? 'NULL'}`;
  return `${text}}`;
}

/** For texts of any kind. */
export function textArray(values: readonly (string | null)[]): string {
  let text = '{';
  for (const [index, value] of values.entries()) text += `${index === 0 ? '' : ','}${quote(value)}`;
  return `${text}}`;
}

function quote(value: string | null): string {
  if (value === null) return 'NULL';
  return `"${/["\\]/.test(value) ? value.replaceAll(/["\\]/g, '\\$&') : value}"`;
}
