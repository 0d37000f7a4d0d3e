// Bad receivers that any webhook service meets: dead in various ways, or merely slow.
import { createServer } from 'node:net';
import { constants, setPriority } from 'node:os';
import type { ServerCertificate } from '../../src/robots/certificates.ts';
import {
  afterRequest,
  drip,
  startTcpReceiver,
  startTlsReceiver,
  startTlsSocketReceiver,
} from '../../harness/receivers/hostile-receiver.ts';
import { startNameServer } from '../../harness/receivers/name-server.ts';
import { listenOnLoopback } from '../../harness/receivers/receiver.ts';
import { answerParent } from './messages.ts';

export interface BadReceivers {
  /** Reads the request and never responds. */
  hanging: number;
  /** Sends one byte of the response per second. */
  dripping: number;
  /** Has a self-signed certificate. */
  untrusted: number;
  /** Accepts a connection but never completes the TLS handshake. */
  silent: number;
  /** A closed port. */
  refused: number;
  /** Responds correctly, but slowly. */
  tardy: number;
  /** Never responds to any query. */
  nameServer: string;
}

const TARDY_MS = 100;
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

const commands = {
  async start(certificates: { trusted: ServerCertificate; untrusted: ServerCertificate }): Promise<BadReceivers> {
    const { trusted, untrusted } = certificates;
    const hanging = await startTlsReceiver(() => {}, { certificate: trusted });
    const dripping = await startTlsReceiver((socket) => drip(socket, 'H', 1000), { certificate: trusted });
    const selfSigned = await startTlsReceiver((socket) => socket.write(ANSWER), { certificate: untrusted });
    const silent = await startTcpReceiver(() => {});
    const tardy = await startTlsSocketReceiver(
      (socket) => afterRequest(socket, () => setTimeout(() => socket.write(ANSWER), TARDY_MS)),
      { certificate: trusted },
    );
    const nameServer = await startNameServer(() => 'silence');
    return {
      hanging: hanging.port,
      dripping: dripping.port,
      untrusted: selfSigned.port,
      silent: silent.port,
      refused: await findClosedPort(),
      tardy: tardy.port,
      nameServer: nameServer.address,
    };
  },
};

export type BadReceiverCommands = typeof commands;

async function findClosedPort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Low priority: these receivers stand for other machines, so their CPU use must not delay the service.
setPriority(constants.priority.PRIORITY_LOW);
answerParent(commands);
