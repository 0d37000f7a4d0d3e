// The master key of the installation.
import { rotateMasterKey } from '../actions/upkeep/rotate-master-key.ts';
import { adoptNextKey, findMasterKey, obtainNextKey, readKeyFile } from '../secrets/master-key.ts';
import { openDatabase } from '../store/database/database.ts';
import { requireCurrentSchema } from '../store/schema/check.ts';
import { createVault } from '../secrets/vault.ts';
import { failed } from './refusals.ts';
import { defineCommand, type CommandContext, type Outcome } from './terminal/command.ts';
import { text } from './terminal/inputs.ts';
import { done } from './terminal/render.ts';
import { confirmChanges, withExistingServer } from './terminal/session.ts';

const rotate = defineCommand({
  name: 'master-key rotate',
  usage: '[--new-key-file F]',
  summary:
    'Re-encrypt all secrets with a new master key while the service is stopped. After a crash, run it again. If the key is set in WAYBILL_MASTER_KEY or WAYBILL_MASTER_KEY_FILE, F contains the new key.',
  input: { newKeyFile: text.optional() },
  run: async ({ newKeyFile }, context) => {
    const { config } = context;
    const isInSettings = config.masterKey !== null;
    if (isInSettings !== (newKeyFile !== undefined)) {
      const message = isInSettings
        ? '--new-key-file is required when WAYBILL_MASTER_KEY or WAYBILL_MASTER_KEY_FILE is set.'
        : '--new-key-file is only allowed when WAYBILL_MASTER_KEY or WAYBILL_MASTER_KEY_FILE is set. Otherwise the new key is generated in the data folder.';
      return { kind: 'misused', message };
    }
    const current = await findMasterKey(config);
    if (current === undefined) return { kind: 'failed', message: 'There is no master key to rotate.' };
    const randomBytes = (count: number) => context.platform.randomBytes(count);
    const next = newKeyFile === undefined ? await obtainNextKey(config, randomBytes) : await readKeyFile(newKeyFile);
    if (next.equals(current)) return { kind: 'failed', message: 'The new master key is the same as the current one.' };
    return withExistingServer(context, async (url) => {
      await requireCurrentSchema(url);
      return rotateTo(context, { url, current, next });
    });
  },
});

async function rotateTo(
  { config, platform, actor }: CommandContext,
  { url, current, next }: { url: string; current: Buffer; next: Buffer },
): Promise<Outcome> {
  const randomBytes = (count: number) => platform.randomBytes(count);
  const [from, to] = [createVault(current, randomBytes), createVault(next, randomBytes)];
  const db = openDatabase({ url, maxConnections: 2 });
  try {
    // Loaded on demand together with the authentication library, because without it commands start in half the time.
    const { createSecondFactorReseal } = await import('../accounts/second-factor-seal.ts');
    const resealSecondFactor = createSecondFactorReseal({ from, to });
    const result = await confirmChanges(db, (watched) =>
      rotateMasterKey({ ...platform, db: watched }, { from, to, actor, resealSecondFactor }),
    );
    if (result.kind === 'refused') return failed(result);
    if (config.masterKey === null) await adoptNextKey(config.dataDir);
    const todo =
      config.masterKey === null
        ? 'The new key is in master.key in the data folder. Save a copy, and keep the old key for old backups.'
        : 'Set WAYBILL_MASTER_KEY, or the content of WAYBILL_MASTER_KEY_FILE, to the new key before you start the service. Keep the old key for old backups.';
    if (result.kind === 'already') return done(`The new master key is already in use. ${todo}`, {});
    const { secrets, secondFactors, unreadable } = result;
    const warning =
      unreadable.length === 0
        ? ''
        : ` The old key could not open these values, which were left unchanged: ${unreadable.join(', ')}.`;
    return done(`The master key was rotated.${warning} ${todo}`, { secrets, secondFactors, unreadable });
  } finally {
    await db.close();
  }
}

export const masterKeyCommands = [rotate];
