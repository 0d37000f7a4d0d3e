// For tests of the sender: a sender that may connect to this machine, and receivers that are closed afterward.
import type { Socket } from 'node:net';
import { systemClock } from '../../src/platform.ts';
import {
  createSender,
  type AttemptOutcome,
  type Sender,
  type SenderOptions,
} from '../../src/webhooks/client/sender.ts';
import { drip, reset, writeForever } from '../../harness/receivers/hostile-receiver.ts';
import { getTestAuthority } from '../../harness/receivers/receiver.ts';

export const BODY = '{"event":"order.status_changed","orderId":"A-1"}';

export interface Closable {
  close(): Promise<void>;
}

/** Closes what a test has opened, in reverse order. */
export class Cleanup {
  readonly #open: Closable[] = [];

  add<T extends Closable>(opened: T): T {
    this.#open.push(opened);
    return opened;
  }

  async run(): Promise<void> {
    for (const opened of this.#open.splice(0).reverse()) await opened.close();
  }
}

/** May connect to 127.0.0.1 only, and trusts the test authority. */
export async function createTestSender(options: Partial<SenderOptions> = {}): Promise<Sender> {
  const authority = await getTestAuthority();
  return createSender({
    allowCidrs: ['127.0.0.1/32'],
    caFile: authority.certificatePem,
    clock: systemClock,
    ...options,
  });
}

export function post(sender: Sender, url: string, tenant?: string): Promise<AttemptOutcome> {
  const headers = { 'Content-Type': 'application/json' };
  return sender.send({ url, body: BODY, headers, ...(tenant !== undefined && { tenant }) });
}

type Script = (socket: Socket) => void;

/** Scripts for a hostile receiver: what it sends after reading the request. */
export const says =
  (text: string | Buffer): Script =>
  (socket) => {
    socket.write(text);
  };

export const saysAndEnds =
  (text: string): Script =>
  (socket) => {
    socket.end(text);
  };

export const saysThenDrips =
  (text: string, piece: string, everyMs = 50): Script =>
  (socket) => {
    socket.write(text);
    drip(socket, piece, everyMs);
  };

export const saysThenFloods =
  (text: string, piece: string): Script =>
  (socket) => {
    socket.write(text);
    writeForever(socket, piece);
  };

export const saysThenResets =
  (text: string): Script =>
  (socket) => {
    socket.write(text, () => setImmediate(reset, socket));
  };
