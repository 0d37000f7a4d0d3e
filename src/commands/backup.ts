import { opensKeyCheck } from '../actions/check-master-key.ts';
import { findMasterKey } from '../master-key.ts';
import { restoreBackup } from '../store/backup/restore-backup.ts';
import { writeBackup } from '../store/backup/write-backup.ts';
import { openDatabase } from '../store/database.ts';
import { countLivingNodes } from '../store/living-nodes.ts';
import { migrate } from '../store/migrate.ts';
import { isUninitialized, requireCurrentSchema } from '../store/schema-check.ts';
import { createVault } from '../vault.ts';
import { defineCommand } from './command.ts';
import { text } from './inputs.ts';
import { done } from './render.ts';
import { withExistingServer, withServer } from './session.ts';

const backup = defineCommand({
  name: 'backup',
  usage: '<file>',
  summary: 'Write everything to a file, as it is at one moment, while the service goes on. Keep the master key too.',
  input: { file: text },
  positionals: ['file'],
  // Of any version: a backup before an upgrade must be of what is there.
  run: ({ file }, context) =>
    withExistingServer(context, async (url) => {
      const now = context.platform.clock.now();
      const summary = await writeBackup({ url, file, now, tell: (line) => context.tell(line) });
      return done('Backup written.', { file: summary.file, rows: summary.rows, tables: summary.tables });
    }),
});

const restore = defineCommand({
  name: 'restore',
  usage: '<file>',
  summary: 'Fill an empty database from a backup; all of it or nothing.',
  input: { file: text },
  positionals: ['file'],
  run: async ({ file }, context) => {
    // Never made here: a new key could not open a single secret of the backup.
    const masterKey = await findMasterKey(context.config);
    if (masterKey === undefined) {
      const message =
        'Put the master key of the backed-up installation in WAYBILL_MASTER_KEY, or in master.key in the data folder, first.';
      return { kind: 'failed', message };
    }
    const vault = createVault(masterKey, (count) => context.platform.randomBytes(count));
    return withServer(context, async (url) => {
      if (await isUninitialized(url)) await migrate(url);
      else await requireCurrentSchema(url);
      if (await isServed(url)) {
        return { kind: 'failed', message: 'A service is running on this database. Stop it first.' };
      }
      const summary = await restoreBackup({
        url,
        file,
        opensKeyCheck: (keyCheck) => opensKeyCheck(vault, keyCheck),
        tell: (line) => context.tell(line),
      });
      return done('Restored.', { rows: summary.rows, tables: summary.tables, backupCreatedAt: summary.createdAt });
    });
  },
});

async function isServed(url: string): Promise<boolean> {
  const db = openDatabase({ url, maxConnections: 1 });
  try {
    return (await countLivingNodes(db)) > 0;
  } finally {
    await db.close();
  }
}

export const backupCommands = [backup, restore];
