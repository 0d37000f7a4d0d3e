// Receivers as every service of this kind has them: dead in one way or another, or merely slow.
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
  /** Read the request and never answer. */
  hanging: number;
  /** Send a byte of the answer each second. */
  dripping: number;
  /** Has a certificate that nobody signed. */
  untrusted: number;
  /** Accepts a connection and does not shake hands. */
  silent: number;
  /** Nobody listens there. */
  refused: number;
  /** Answers well, but takes its time. */
  tardy: number;
  /** Never answers for any name. */
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

// They stand for machines of others: what they need of this one's processors is nobody's here to wait for.
setPriority(constants.priority.PRIORITY_LOW);
answerParent(commands);
