// The demo that `npm start` shows: a restaurant, its integrator's receiver over HTTPS, and robots that deliver.
import type { App } from '../app.ts';
import { HOUR_MS } from '../domain/time.ts';
import type { Clock } from '../platform.ts';
import { everyMs, type Worker } from '../runtime/supervisor.ts';
import { curlLine, renderBanner } from './banner.ts';
import type { Authority } from './certificates.ts';
import { issueReceiverCertificate, expiresSoon, obtainAuthority, type ReceiverCertificate } from './demo-authority.ts';
import { openDemoFile } from './demo-file.ts';
import { startDemoReceiver, type DemoReceiver, type ReceivedWebhook } from './demo-receiver.ts';
import { findSigningSecret, setUpDemo } from './demo-setup.ts';
import { createRobots, createRobotWalks } from './robots.ts';

export interface Demo {
  /** What the sender must trust, and which addresses it may reach besides the public internet. */
  caPem: string;
  allowCidrs: string[];
  /** What the live page shows in addition to the orders. */
  live: {
    listWebhooks(): readonly ReceivedWebhook[];
    /** Null until the demo is set up. */
    curlLine(): string | null;
  };
  start(app: App, context: { address: string; hasColors: boolean; show(text: string): void }): Promise<void>;
  /** Call after closing the app, so that its last webhooks still arrive. */
  close(): Promise<void>;
}

const CERTIFICATE_CHECK_MS = 12 * HOUR_MS;

/** Starts the receiver before the app starts sending, so that webhooks pending since the last stop reach it. */
export async function prepareDemo(deps: { dataDir: string; clock: Clock }): Promise<Demo> {
  const { clock, dataDir } = deps;
  const file = await openDemoFile(dataDir);
  const authority = await obtainAuthority(file, clock.now());
  const certificate = await issueReceiverCertificate(authority, clock.now());
  const receiver = await startDemoReceiver({ clock, certificate, preferredPort: file.memory.receiverPort });
  if (receiver.port !== file.memory.receiverPort) await file.remember({ receiverPort: receiver.port });
  let lineToPaste: string | null = null;

  return {
    caPem: authority.certificatePem,
    allowCidrs: ['127.0.0.1/32'],
    live: { listWebhooks: () => receiver.listReceived(), curlLine: () => lineToPaste },
    async start(app, context) {
      const { address, hasColors } = context;
      const { restaurant, credentials, otherReceivers } = await setUpDemo(app, file, receiver.origin);
      receiver.knowSecret(() => findSigningSecret(app, restaurant));
      const workers = [renewCertificate({ authority, certificate, receiver, app })];
      // In the test environment robots work for every restaurant anyway.
      if (app.config.environment === 'live') {
        const scope = { restaurantIds: [restaurant.id], hasScripts: false, hasPlanner: true };
        workers.push(createRobots(app, scope), createRobotWalks(app, scope));
      }
      app.supervise(workers);
      const facts = {
        address,
        restaurantId: restaurant.providerRestaurantId,
        restaurantName: restaurant.name,
        credentials,
        receiverUrl: receiver.origin,
        otherReceivers,
        dataDir,
      };
      lineToPaste = address === '' ? null : curlLine(facts);
      context.show(renderBanner(facts, hasColors));
    },
    close: () => receiver.close(),
  };
}

function renewCertificate(context: {
  authority: Authority;
  certificate: ReceiverCertificate;
  receiver: DemoReceiver;
  app: App;
}): Worker {
  const { authority, receiver, app } = context;
  let { certificate } = context;
  return everyMs('demo certificate', CERTIFICATE_CHECK_MS, {
    log: app.log,
    async round() {
      if (!expiresSoon(certificate, app.clock.now())) return;
      certificate = await issueReceiverCertificate(authority, app.clock.now());
      receiver.useCertificate(certificate);
    },
  });
}
