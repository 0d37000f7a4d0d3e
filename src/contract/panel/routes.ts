// How a route of the panel API is declared. The server's handlers and the pages' calls get their types and paths from
// the declarations; the server's table says who may call a route.
import type { z } from 'zod';

export const API_ROOT = '/api/';

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Each `:part` is a UUID. */
  path: `${typeof API_ROOT}${string}`;
  query?: z.ZodType;
  body?: z.ZodType;
  /**
   * The schema of the JSON that a successful call returns. `nothing`: an empty object. Streams: `image`, `events`
   * (server-sent), or lines of JSON.
   */
  answer: z.ZodType | 'nothing' | 'image' | 'events' | { lines: z.ZodType };
}

// @__NO_SIDE_EFFECTS__
export function declareRoutes<Routes extends Record<string, Route>>(routes: Routes): Routes {
  return routes;
}

type PartsOf<Path extends string> = Path extends `${string}/:${infer Part}/${infer Rest}`
  ? Part | PartsOf<`/${Rest}`>
  : Path extends `${string}/:${infer Part}`
    ? Part
    : never;

/** One for each `:part` of the path. */
export type ParamsOf<R extends Route> = Record<PartsOf<R['path']>, string>;

export type QueryOf<R extends Route> = R extends { query: infer Query extends z.ZodType } ? z.output<Query> : object;
export type BodyOf<R extends Route> = R extends { body: infer Body extends z.ZodType } ? z.output<Body> : object;

export type QueryValue = string | number | boolean | undefined;

/** As a page sends it. Only names are checked: values may come from the page's address, and the service checks them. */
type SentQuery<R extends Route> = R extends { query: infer Query extends z.ZodType }
  ? { [Name in keyof z.input<Query>]: QueryValue }
  : never;

export type SentBody<R extends Route> = R extends { body: infer Body extends z.ZodType } ? z.input<Body> : never;

/** What a page gives for a call: only what is declared. */
export type SentWith<R extends Route> = (PartsOf<R['path']> extends never ? object : { params: ParamsOf<R> }) &
  (R extends { query: z.ZodType } ? IfGiven<{ query: SentQuery<R> }> : object) &
  (R extends { body: z.ZodType } ? { body: SentBody<R> } : object);

/** Optional if all of it is. */
type IfGiven<Part extends { query: object }> = object extends Part['query'] ? Partial<Part> : Part;

/** What a page gets from a call. */
export type ReceivedFrom<R extends Route> = R['answer'] extends z.ZodType ? z.output<R['answer']> : undefined;
