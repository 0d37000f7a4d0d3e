// The service of a day, in a separate process: the app as in production, on the city's clock. The only addition is more
// frequent wakeups: at sixty times the speed, a planner that polls once a second would poll once per city minute.
import { expireOrders } from '../../src/actions/orders/expire-orders.ts';
import { buildApp } from '../../src/app.ts';
import { openLog } from '../../src/runtime/log.ts';
import { createPlatform } from '../../src/platform.ts';
import { notifyPlanners } from '../../src/store/planning/areas.ts';
import { everyMs } from '../../src/runtime/supervisor.ts';
import { testConfig } from '../../harness/service/test-config.ts';
import { CityClock, type Pace } from './clock.ts';

export interface CityNodeSettings {
  databaseUrl: string;
  masterKeyHex: string;
  caPem: string;
  port: number;
  logFile: string;
  pace: Pace;
}

/** Real time. Waking more often would leave the machine no time for the actual work. */
const WAKE_INTERVAL_MS = 100;

const settings = JSON.parse(process.env['WAYBILL_CITY_NODE'] ?? '') as CityNodeSettings;
const clock = new CityClock(settings.pace);
const logging = openLog(settings.logFile);
const app = buildApp({
  config: testConfig({ port: settings.port, webhookCa: settings.caPem }),
  databaseUrl: settings.databaseUrl,
  masterKey: Buffer.from(settings.masterKeyHex, 'hex'),
  platform: createPlatform(logging.log, clock),
});

process.on('message', (pace: Pace) => clock.keep(pace));
// Exits when the city process is gone. A terminal sends Ctrl-C to every process; only the city handles it.
process.on('disconnect', () => process.exit(1));
process.on('SIGINT', () => undefined);
process.once('SIGTERM', () => {
  void app
    .stop()
    .then(() => logging.close())
    .then(() => process.exit(0));
});

const address = await app.start();
app.supervise([
  everyMs('city planner wake-up', WAKE_INTERVAL_MS, { log: app.log, round: () => notifyPlanners(app.db, null) }),
  everyMs('city expiry', WAKE_INTERVAL_MS, { log: app.log, round: () => expireOrders(app) }),
]);
process.send?.(address);
