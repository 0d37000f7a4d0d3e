// Types for the part of autocannon that the bench uses; the package has none.
declare module 'autocannon' {
  interface Request {
    body: string;
  }

  interface Options {
    url: string;
    connections: number;
    /** In seconds; alternative to `amount`. */
    duration?: number;
    /** Number of requests. */
    amount?: number;
    method?: 'GET' | 'POST';
    headers: Record<string, string>;
    requests?: { setupRequest(request: Request): Request }[];
  }

  interface Result {
    duration: number;
    errors: number;
    timeouts: number;
    non2xx: number;
    '2xx': number;
  }

  function autocannon(options: Options): Promise<Result>;
  namespace autocannon {
    export type { Result };
  }
  export = autocannon;
}
