// A proxy between two programs that cuts connections at any byte, in either direction.
import { connect, createServer, type ListenOptions, type NetConnectOpts, type Socket } from 'node:net';
import type { Chance } from '../../harness/chance.ts';

export interface FaultProxy {
  port: number;
  /** Number of connections cut so far. */
  readonly cuts: number;
  /** Cuts each current and new connection after a few more bytes, until it is called with null. */
  cutAtRandom(chance: Chance | null): void;
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const pair of pairs) pair.end();
      }),
  };
}

class Pair {
  leftBytes = Number.POSITIVE_INFINITY;
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

  #pass(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    from.on('error', () => this.end()).on('close', () => this.end());
    from.on('data', (chunk) => {
      if (chunk.length <= this.leftBytes) {
        this.leftBytes -= chunk.length;
        if (!to.write(chunk)) {
          from.pause();
          to.once('drain', () => from.resume());
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
