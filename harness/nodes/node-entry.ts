// The child process that node.ts starts: one node on an existing database, with an extra HTTP port for commands.
import { createServer, type IncomingMessage } from 'node:http';
import type { ChangeRequest } from '../../src/actions/orders/change-order.ts';
import { buildApp, type AppSetup } from '../../src/app.ts';
import { createDatabaseClock } from '../../src/runtime/database-clock.ts';
import { createPlatform, silentLog } from '../../src/platform.ts';
import { damageSender } from './sender-damage.ts';
import { createFastClock } from '../clocks/fast-clock.ts';
import type { NodeAddresses, NodeSettings } from './node.ts';
import { buildUnguarded } from './mistakes.ts';
import { listenOnLoopback } from '../receivers/receiver.ts';
import { testConfig } from '../service/test-config.ts';
import { splitCommits } from './split-commits.ts';

const settings = JSON.parse(process.env['WAYBILL_TEST_NODE'] ?? '') as NodeSettings;
const { splitForMs, damage, mistake, clockSpeed } = settings;

const setup: AppSetup = {
  config: testConfig({ roles: settings.roles ?? ['api', 'deliver'], webhookCa: settings.caPem }),
  databaseUrl: settings.databaseUrl,
  masterKey: Buffer.from(settings.masterKeyHex, 'hex'),
  platform: createPlatform(silentLog, clockSpeed === undefined ? createDatabaseClock() : createFastClock(clockSpeed)),
  ...(splitForMs !== undefined && { parts: splitCommits(splitForMs) }),
};

const app = mistake === undefined ? buildApp(setup) : buildUnguarded(setup, mistake);
if (damage !== undefined) damageSender(app.sender, damage);

async function readRequest(message: IncomingMessage): Promise<ChangeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as ChangeRequest;
}

const commands = createServer((message, response) => {
  readRequest(message)
    .then((request) => app.changer.change(request))
    .then(
      (result) => response.writeHead(200).end(JSON.stringify(result)),
      (error: unknown) => response.writeHead(503).end(String(error)),
    );
});

// Ends the node when its test was killed; nothing else would.
process.on('disconnect', () => process.exit(1));
process.once('SIGTERM', () => {
  commands.close();
  commands.closeAllConnections();
  void app.stop().then(() => process.exit(0));
});

const commandAddress = `http://127.0.0.1:${await listenOnLoopback(commands)}`;
const ready: NodeAddresses = { address: await app.start(), commandAddress };
process.send?.(ready);
