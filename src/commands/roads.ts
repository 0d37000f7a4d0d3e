import path from 'node:path';
import { openDataFolder } from '../runtime/data-folder.ts';
import { importRoads } from '../planning/travel/import-roads.ts';
import { ensureEngine } from '../planning/travel/road-engine.ts';
import { RoadsError } from '../planning/travel/roads-error.ts';
import { defineCommand, type Outcome } from './terminal/command.ts';
import { text } from './terminal/inputs.ts';
import { done } from './terminal/render.ts';

const roadsImport = defineCommand({
  name: 'roads import',
  usage: '<file.osm.pbf>',
  summary: 'Import streets for travel times from an OpenStreetMap extract. Restart the service to use them.',
  input: { file: text },
  positionals: ['file'],
  async run({ file }, context): Promise<Outcome> {
    const { config, platform } = context;
    await openDataFolder(config.dataDir);
    const roadsDir = path.join(config.dataDir, 'roads');
    const getEngineDir = async (): Promise<string> => {
      const engineDir = await ensureEngine({ roadsDir, onProgress: (line) => context.report(line) });
      context.report('Building roads. A city takes seconds, a country about an hour.');
      return engineDir;
    };
    try {
      const { tiles } = await importRoads({ file, roadsDir, now: platform.clock.now(), getEngineDir });
      return done('Roads imported. Restart the service to use them.', { roadsDir, tiles });
    } catch (error) {
      if (!(error instanceof RoadsError)) throw error;
      return { kind: 'failed', message: error.message };
    }
  },
});

export const roadsCommands = [roadsImport];
