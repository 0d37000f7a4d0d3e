// Commands for the installation itself: the service, the schema, generated documents.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../contract/integrator/openapi.ts';
import { migrate } from '../store/schema/migrate.ts';
import { describeSchema } from '../store/schema/describe.ts';
import { withScratchDatabase } from '../store/schema/scratch-database.ts';
import { upgradeDatabase } from '../embedded/upgrade-database.ts';
import { defineCommand } from './terminal/command.ts';
import { text } from './terminal/inputs.ts';
import { done } from './terminal/render.ts';
import { withServer } from './terminal/session.ts';

const serve = defineCommand({
  name: 'serve',
  usage: '',
  summary: 'Run the service until it is stopped.',
  input: {},
  run: async (_, context) => {
    // Loaded on demand, because without it other commands start in half the time.
    const { runService } = await import('../serve.ts');
    return { kind: 'ended', exitCode: await runService(context.config) };
  },
});

const migrateCommand = defineCommand({
  name: 'migrate',
  usage: '',
  summary: 'Create or migrate the database schema without starting the service.',
  input: {},
  run: (_, context) =>
    withServer(context, async (url) => {
      const { applied } = await migrate(url, { onProgress: (line) => context.report(line) });
      const headline = applied.length === 0 ? 'The database is up to date.' : 'The database was migrated.';
      return done(headline, { applied });
    }),
});

const upgradeDatabaseCommand = defineCommand({
  name: 'upgrade-database',
  usage: '[--old-binaries FOLDER]',
  summary: 'Upgrade the embedded database to the PostgreSQL version of this release, and migrate it.',
  input: { oldBinaries: text.optional() },
  run: async ({ oldBinaries = null }, context) => {
    const { dataDir, databaseUrl } = context.config;
    if (databaseUrl !== null) {
      const message =
        'DATABASE_URL is set, so Waybill does not manage this server. Upgrade it with its own tools (pg_upgrade).';
      return { kind: 'failed', message };
    }
    const onProgress = (line: string) => context.report(line);
    const upgraded = await upgradeDatabase({ dataDir, oldBinaries, onProgress });
    const { applied } = await withServer(context, (url) => migrate(url, { onProgress }));
    if (upgraded === undefined) return done('The database already has the right PostgreSQL version.', { applied });
    const { kept, tables, rows } = upgraded;
    const headline = `The database was upgraded. The old one is kept in ${kept}. Remove it when you no longer need it.`;
    return done(headline, { tables, rows, applied, kept });
  },
});

const openapi = defineCommand({
  name: 'openapi',
  usage: '',
  summary: 'Write docs/openapi.json.',
  input: {},
  run: async () => {
    const file = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
    await writeFile(file, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
    return done('OpenAPI document written.', { file });
  },
});

const schema = defineCommand({
  name: 'schema',
  usage: '',
  summary: 'Write schema.sql from the migrations.',
  input: {},
  run: (_, context) =>
    withServer(context, async (url) => {
      const name = `waybill_schema_${context.platform.randomBytes(6).toString('hex')}`;
      const text = await withScratchDatabase(url, name, describeSchema);
      const file = fileURLToPath(new URL('../../schema.sql', import.meta.url));
      await writeFile(file, text);
      return done('Schema written.', { file });
    }),
});

export const systemCommands = [serve, migrateCommand, upgradeDatabaseCommand, openapi, schema];
