// The entry point of the processes that nodes/worker-processes.ts starts to share a node's work.
import { once } from 'node:events';
import { buildApp } from './app.ts';
import { createDatabaseClock } from './runtime/database-clock.ts';
import { openLog } from './runtime/log.ts';
import { createPlatform } from './platform.ts';
import { ANSWER_FOR_ALL_LIMIT_MS, ProcessChannel, type ChannelMessage } from './nodes/process-channel.ts';
import type { ProcessSetup } from './nodes/worker-processes.ts';

const STOP_LIMIT_MS = 30_000;

// A terminal sends Ctrl-C to every process; only the parent process decides when to stop.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
const gone = once(process, 'disconnect');
// Listens from the beginning, because a process may still be starting when the node begins to drain.
const draining = new Promise<void>((resolve) => {
  process.on('message', (message: ProcessSetup | ChannelMessage) => {
    if ('kind' in message && message.kind === 'drain') resolve();
  });
});
const setup = await new Promise<ProcessSetup>((resolve) => process.once('message', resolve));
const logging = openLog(setup.logFile ?? 1);
const { config, roles, databaseUrl, connections } = setup;
const channel = new ProcessChannel(process, async () => [await app.count()]);
const app = buildApp({
  config,
  roles,
  databaseUrl,
  connections,
  isFurther: true,
  masterKey: Buffer.from(setup.masterKeyBase64, 'base64'),
  platform: createPlatform(logging.log, createDatabaseClock()),
  countOthers: () => channel.ask(ANSWER_FOR_ALL_LIMIT_MS),
});
void draining.then(() => app.beginDraining());
await app.start();
await gone;
setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
await app.stop();
await logging.close();
