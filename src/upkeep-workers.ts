// The background workers beside sending: failing endpoints, mail, history and the audit.
import { AUDIT_INTERVAL_MS, auditHistory } from './actions/upkeep/audit-history.ts';
import { cleanUpSignIns } from './actions/people/delete-expired-sign-ins.ts';
import { HISTORY_INTERVAL_MS, keepHistory } from './actions/upkeep/keep-history.ts';
import type { SetAside } from './domain/upkeep/set-aside.ts';
import { watchEndpoints } from './actions/webhooks/watch-endpoints.ts';
import type { Config } from './settings/config.ts';
import { HOUR_MS } from './domain/time.ts';
import { createOutboxWorker } from './mail/outbox-worker.ts';
import { createMailer } from './mail/smtp.ts';
import type { Platform } from './platform.ts';
import type { Database } from './store/database/database.ts';
import { everyMs, type Worker } from './runtime/supervisor.ts';
import type { Vault } from './secrets/vault.ts';

const WATCH_INTERVAL_MS = 5_000;

export interface UpkeepDeps extends Platform {
  config: Config;
  db: Database;
  vault: Vault;
  setAside: SetAside;
}

export function listUpkeepWorkers(base: UpkeepDeps): Worker[] {
  const { config, log } = base;
  const { publicUrl, smtpUrl, mailFrom, operatorEmail } = config;
  const { keepHistoryDays, keepPersonalDataDays, keepUnfinishedDays } = config;
  const retention = { keepHistoryDays, keepPersonalDataDays, keepUnfinishedDays };
  const deps = { ...base, publicUrl, operatorEmail };
  const mailer = smtpUrl === null ? null : createMailer({ smtpUrl, from: mailFrom });
  return [
    everyMs('endpoint watch', WATCH_INTERVAL_MS, { log, round: () => watchEndpoints(deps) }),
    everyMs('history', HISTORY_INTERVAL_MS, { log, round: () => keepHistory({ ...deps, ...retention }) }),
    everyMs('audit', AUDIT_INTERVAL_MS, { log, round: () => auditHistory(deps) }),
    createOutboxWorker({ ...deps, mailer }),
    everyMs('expired sign-ins', HOUR_MS, { log, round: () => cleanUpSignIns(deps) }),
  ];
}
