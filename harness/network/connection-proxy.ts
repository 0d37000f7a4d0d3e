// A proxy between two programs that cuts connections at any byte, in either direction, or holds everything back.
import { connect, createServer, type ListenOptions, type NetConnectOpts, type Socket } from 'node:net';
import type { Chance } from '../chance.ts';

export interface FaultProxy {
  port: number;
  /** Number of connections cut so far. */
  readonly cuts: number;
  /** Cuts each current and new connection after a few more bytes, until it is called with null. */
  cutAtRandom(chance: Chance | null): void;
  /** Cuts every connection now. Bytes that are held back never arrive. */
  cutAll(): void;
  /** Held connections stay open, but nothing arrives until they are released. */
  hold(isHeld: boolean): void;
  close(): Promise<void>;
}

export interface ProxyOptions {
  listen: ListenOptions;
  /** Called for each connection; undefined while there is no target. */
  findTarget(): NetConnectOpts | undefined;
}

const MAX_BYTES = 6_000;

export async function startFaultProxy(options: ProxyOptions): Promise<FaultProxy> {
  const pairs = new Set<Pair>();
  let chance: Chance | null = null;
  let isHeld = false;
  let cuts = 0;
  const server = createServer((client) => {
    const target = options.findTarget();
    if (target === undefined) {
      client.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const pair = new Pair(client, connect(target), {
      onCut: () => (cuts += 1),
      onClose: () => pairs.delete(pair),
    });
    if (chance !== null) pair.leftBytes = chance.below(MAX_BYTES);
    pair.hold(isHeld);
    pairs.add(pair);
  });
  await new Promise<void>((resolve) => server.listen(options.listen, resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get cuts() {
      return cuts;
    },
    cutAtRandom: (next) => {
      chance = next;
      for (const pair of pairs) pair.leftBytes = next === null ? Number.POSITIVE_INFINITY : next.below(MAX_BYTES);
    },
    cutAll: () => {
      cuts += pairs.size;
      for (const pair of pairs) pair.end();
    },
    hold: (next) => {
      isHeld = next;
      for (const pair of pairs) pair.hold(next);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const pair of pairs) pair.end();
      }),
  };
}

class Pair {
  leftBytes = Number.POSITIVE_INFINITY;
  #isHeld = false;
  #sockets: readonly [Socket, Socket];
  #on: { onCut(): void; onClose(): void };

  constructor(client: Socket, target: Socket, on: { onCut(): void; onClose(): void }) {
    this.#sockets = [client, target];
    this.#on = on;
    this.#pass(client, target);
    this.#pass(target, client);
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#on.onClose();
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    for (const socket of this.#sockets) {
      if (isHeld) socket.pause();
      else socket.resume();
    }
  }

  #pass(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    from.on('error', () => this.end()).on('close', () => this.end());
    from.on('data', (chunk) => {
      if (chunk.length <= this.leftBytes) {
        this.leftBytes -= chunk.length;
        if (!to.write(chunk)) {
          from.pause();
          to.once('drain', () => {
            if (!this.#isHeld) from.resume();
          });
        }
        return;
      }
      // Bytes before the cut still arrive; bytes after it never do.
      to.end(chunk.subarray(0, this.leftBytes));
      from.destroy();
      this.#on.onCut();
    });
  }
}
