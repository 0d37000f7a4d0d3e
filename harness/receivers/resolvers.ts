import { Resolver } from 'node:dns/promises';

/** From now on every resolver of this process asks one name server, instead of the machine's own. */
export function pointResolversTo(address: string): void {
  const pointed = new WeakSet<Resolver>();
  for (const family of ['resolve4', 'resolve6'] as const) {
    const ask = Resolver.prototype[family] as (...args: unknown[]) => unknown;
    Object.assign(Resolver.prototype, {
      [family](this: Resolver, ...args: unknown[]) {
        // Only before the first question: with one under way, it would be refused.
        if (!pointed.has(this)) this.setServers([address]);
        pointed.add(this);
        return ask.apply(this, args);
      },
    });
  }
}
