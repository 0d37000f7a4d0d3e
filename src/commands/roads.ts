import path from 'node:path';
import { importRoads, RoadsError } from '../planning/import-roads.ts';
import { ValhallaMissing } from '../planning/valhalla.ts';
import { defineCommand, type Outcome } from './command.ts';
import { text } from './inputs.ts';
import { done } from './render.ts';

const roadsImport = defineCommand({
  name: 'roads import',
  usage: '<file.osm.pbf>',
  summary: 'Build real streets for travel times from an extract of OpenStreetMap; used from the next start on.',
  input: { file: text },
  positionals: ['file'],
  async run(input, context): Promise<Outcome> {
    const { config, platform } = context;
    const roadsDir = path.join(config.dataDir, 'roads');
    context.tell('Building roads; a city takes seconds, a country an hour.');
    try {
      const { tiles } = await importRoads({ file: input.file, roadsDir, stamp: String(platform.clock.now()) });
      return done('Roads imported. Restart the service to use them.', { roadsDir, tiles });
    } catch (error) {
      if (!(error instanceof RoadsError || error instanceof ValhallaMissing)) throw error;
      return { kind: 'failed', message: error.message };
    }
  },
});

export const roadsCommands = [roadsImport];
