// URLs of the panel's routes, from their declarations.
import type { QueryValue, Route, SentWith } from './routes.ts';

/** Everything that a route may need, for code that handles every route alike. */
export interface Sent {
  params?: Record<string, string>;
  query?: Record<string, QueryValue>;
  body?: unknown;
}

/** A route that needs nothing may be called with nothing. */
export type Given<R extends Route, More = object> =
  object extends SentWith<R> ? [given?: SentWith<R> & More] : [given: SentWith<R> & More];

export function urlOf<R extends Route>(route: R, ...[given]: Given<R>): string {
  return writeUrl(route, given);
}

export function writeUrl({ path }: Route, { params = {}, query = {} }: Sent = {}): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return filled;
  return `${filled}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()}`;
}
