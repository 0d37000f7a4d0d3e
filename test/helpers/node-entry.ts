// The child that node-process.ts starts: one node on a database that exists already, with a line to its test.
import { pino } from 'pino';
import { buildApp, type AppSetup } from '../../src/app.ts';
import { createPlatform } from '../../src/platform.ts';
import type { NodeAnswer, NodeQuestion, NodeSettings } from './node-process.ts';
import { splitCommits } from './split-commits.ts';

const settings = JSON.parse(process.env['WAYBILL_TEST_NODE'] ?? '') as NodeSettings;
const { splitForMs } = settings;

const setup: AppSetup = {
  config: {
    host: '127.0.0.1',
    port: 0,
    roles: ['api', 'deliver'],
    environment: 'live',
    webhookAllowCidrs: ['127.0.0.0/8'],
    webhookCa: settings.caPem,
  },
  databaseUrl: settings.databaseUrl,
  masterKey: Buffer.from(settings.masterKeyHex, 'hex'),
  platform: createPlatform(pino({ level: settings.logLevel ?? 'silent' })),
  ...(splitForMs !== undefined && { parts: splitCommits(splitForMs) }),
};

const app = buildApp(setup);

function tell(answer: NodeAnswer): void {
  process.send?.(answer);
}

process.on('message', (question: NodeQuestion) => {
  app.changer.change(question.request).then(
    (result) => tell({ kind: 'answer', number: question.number, result }),
    (error: unknown) => tell({ kind: 'failure', number: question.number, reason: String(error) }),
  );
});
// Nobody else would end a node whose test was killed.
process.on('disconnect', () => process.exit(1));

tell({ kind: 'ready', address: await app.start() });
