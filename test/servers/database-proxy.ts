// A proxy between a node and its database that cuts connections at critical moments.
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** `request`: lost before it reached the server, so not carried out. `answer`: carried out, but the answer was lost. */
export type Loss = 'request' | 'answer';

export interface DatabaseProxy {
  url: string;
  /** Cuts the first connection that sends these texts in this order; resolves when it is cut. */
  cutAfter(texts: readonly string[], loss: Loss): Promise<void>;
  /** Cuts every current connection. */
  cutAll(): void;
  /** While refusing, connections are cut as soon as they are opened. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

interface Trap {
  texts: readonly string[];
  loss: Loss;
  onSprung(): void;
}

// ReadyForQuery outside a transaction: everything before it is committed or rolled back.
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A trap springs when a connection has sent all of its texts in order. */
function createTrapMatcher(): (trap: Trap, chunk: Buffer) => boolean {
  const seen = new Map<Trap, number>();
  return (trap, chunk) => {
    const count = seen.get(trap) ?? 0;
    if (!chunk.includes(trap.texts[count] ?? '')) return false;
    seen.set(trap, count + 1);
    return count + 1 === trap.texts.length;
  };
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const socketFolder = target.searchParams.get('host');
  if (socketFolder === null) throw new Error('The proxy knows only databases behind a Unix socket');
  const file = `.s.PGSQL.${target.searchParams.get('port') ?? '5432'}`;
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-proxy-'));
  const pairs = new Set<() => void>();
  let traps: Trap[] = [];
  let isRefusing = false;

  function join(client: Socket): void {
    if (isRefusing) {
      client.destroy();
      return;
    }
    const server = connect(path.join(socketFolder ?? '', file));
    const cut = (): void => {
      client.destroy();
      server.destroy();
      pairs.delete(cut);
    };
    pairs.add(cut);
    for (const socket of [client, server]) socket.on('error', cut).on('close', cut);
    let sprung: Trap | undefined;
    const isSprungBy = createTrapMatcher();
    client.on('data', (chunk) => {
      sprung ??= traps.find((trap) => isSprungBy(trap, chunk));
      if (sprung !== undefined) traps = traps.filter((trap) => trap !== sprung);
      if (sprung?.loss === 'request') {
        cut();
        sprung.onSprung();
      } else server.write(chunk);
    });
    let tail = Buffer.alloc(0);
    server.on('data', (chunk) => {
      if (sprung === undefined) {
        client.write(chunk);
        return;
      }
      tail = Buffer.concat([tail, chunk]).subarray(-READY.length);
      if (!tail.equals(READY)) return;
      cut();
      sprung.onSprung();
    });
  }

  const listener = createServer(join);
  await new Promise<void>((resolve) => listener.listen(path.join(folder, file), resolve));
  const url = new URL(databaseUrl);
  url.searchParams.set('host', folder);
  return {
    url: url.href,
    cutAfter: (texts, loss) => new Promise((resolve) => traps.push({ texts, loss, onSprung: resolve })),
    cutAll: () => {
      for (const cut of pairs) cut();
    },
    refuse: (value) => {
      isRefusing = value;
    },
    close: async () => {
      await new Promise<void>((resolve) => {
        listener.close(() => resolve());
        for (const cut of pairs) cut();
      });
      await rm(folder, { recursive: true, force: true });
    },
  };
}
