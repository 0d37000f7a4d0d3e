import { Resolver } from 'node:dns/promises';

/** Makes every resolver of this process query one name server instead of the system's. */
export function pointResolversTo(address: string): void {
  const pointed = new WeakSet<Resolver>();
  for (const family of ['resolve4', 'resolve6'] as const) {
    const ask = Resolver.prototype[family] as (...args: unknown[]) => unknown;
    Object.assign(Resolver.prototype, {
      [family](this: Resolver, ...args: unknown[]) {
        // Only before the first query: setServers throws while a query is pending.
        if (!pointed.has(this)) this.setServers([address]);
        pointed.add(this);
        return ask.apply(this, args);
      },
    });
  }
}
