import { beginEpoch } from '../actions/upkeep/begin-epoch.ts';
import { adoptInstallation } from '../actions/upkeep/check-master-key.ts';
import { AFTER_RESTORE_ACTS, listUnknownsAfterRestore } from '../domain/upkeep/after-restore.ts';
import { formatUtc, type Instant } from '../domain/time.ts';
import { findMasterKey } from '../secrets/master-key.ts';
import { restoreBackup } from '../store/backup/restore.ts';
import { writeBackup } from '../store/backup/write.ts';
import { openDatabase } from '../store/database/database.ts';
import { countLivingNodes } from '../store/upkeep/living-nodes.ts';
import { migrate } from '../store/schema/migrate.ts';
import { isUninitialized, requireCurrentSchema } from '../store/schema/check.ts';
import { createVault } from '../secrets/vault.ts';
import { withExistingServer, withServer } from './terminal/session.ts';
import { defineCommand, type JsonRecord, type Outcome } from './terminal/command.ts';
import { pastTime, text } from './terminal/inputs.ts';
import { done, doneLines } from './terminal/render.ts';

const SERVED = 'The service is running on this database. Stop it first.';

const backup = defineCommand({
  name: 'backup',
  usage: '<file>',
  summary:
    'Write a consistent backup of the whole database to a file, while the service runs. Save the master key separately.',
  input: { file: text },
  positionals: ['file'],
  // Works with any schema version, so that a backup can be made before an upgrade.
  run: ({ file }, context) =>
    withExistingServer(context, async (url) => {
      const now = context.platform.clock.now();
      const summary = await writeBackup({ url, file, now, onProgress: (line) => context.report(line) });
      return done('Backup written.', { file: summary.file, rows: summary.rows, tables: summary.tables });
    }),
});

const restore = defineCommand({
  name: 'restore',
  usage: '<file>',
  summary: 'Restore a backup into an empty database in one transaction, and list what is lost or undone.',
  input: { file: text },
  positionals: ['file'],
  run: async ({ file }, context) => {
    // Never generated here: a new key could not decrypt any secret in the backup.
    const masterKey = await findMasterKey(context.config);
    if (masterKey === undefined) {
      const message =
        'The master key of the backed-up installation is missing. Set it in WAYBILL_MASTER_KEY, or copy master.key to the data folder, and try again.';
      return { kind: 'failed', message };
    }
    const vault = createVault(masterKey, (count) => context.platform.randomBytes(count));
    return withServer(context, async (url) => {
      if (await isUninitialized(url)) await migrate(url);
      else await requireCurrentSchema(url);
      if (await isServed(url)) {
        return { kind: 'failed', message: SERVED };
      }
      const summary = await restoreBackup({
        url,
        file,
        // Before the restore, only the backup's key check is known. This opens it whether or not it is bound.
        opensKeyCheck: (keyCheck) =>
          adoptInstallation(vault, { keyCheck, sealsBound: false, sealedCredentialKey: null }),
        onProgress: (line) => context.report(line),
        finish: (tx, { createdAt }) =>
          beginEpoch(
            { ...context.platform, tx },
            { cause: 'restored', dataUntil: Date.parse(createdAt), actor: context.actor },
          ),
      });
      const value = { rows: summary.rows, tables: summary.tables, backupCreatedAt: summary.createdAt };
      return doneWithUnknowns('Restored.', Date.parse(summary.createdAt), value);
    });
  },
});

const recovered = defineCommand({
  name: 'recovered',
  usage: '--to T',
  summary:
    'Begin a new epoch, after an external database was recovered to an earlier point in time with its own tools.',
  input: { to: pastTime },
  run: (input, context) =>
    context.withSession(async (session) => {
      if ((await countLivingNodes(session.db)) > 0) return { kind: 'failed', message: SERVED };
      const dataUntil = input.to(session.clock.now());
      const { actor } = context;
      const epoch = await session.db.transaction((tx) =>
        beginEpoch({ ...session, tx }, { cause: 'recovered', dataUntil, actor }),
      );
      return doneWithUnknowns('A new epoch has begun.', dataUntil, {
        epochId: epoch.id,
        dataUntil: formatUtc(dataUntil),
      });
    }),
});

function doneWithUnknowns(headline: string, dataUntil: Instant, value: JsonRecord): Outcome {
  const unknown = listUnknownsAfterRestore(dataUntil);
  const lines = [
    headline,
    AFTER_RESTORE_ACTS,
    '',
    'Lost or undone:',
    ...unknown.map((sentence) => `  - ${sentence}`),
    '',
    'If access may have been misused, list what was created or changed since a given time: revoke --since T --dry-run',
  ];
  return doneLines(lines, { ...value, unknown });
}

async function isServed(url: string): Promise<boolean> {
  const db = openDatabase({ url, maxConnections: 1 });
  try {
    return (await countLivingNodes(db)) > 0;
  } finally {
    await db.close();
  }
}

export const backupCommands = [backup, restore, recovered];
