// Entry of every npm script. Installs what is missing, then runs the program on the project's own Node, whichever
// Node the machine has. Plain JavaScript for Node 18 and later, without dependencies, because nothing is installed yet.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, findProjectNode, SetupError } from './install.mjs';
import { runAll, runProgram } from './launch.mjs';
import { ensurePanelBuilt } from './panel.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

// What an order and its webhook take is garbage a tenth of a second later. With four times the usual room (in MB) there is
// a quarter of the collections, and each finds as little alive as before.
const NODE = ['node', '--max-semi-space-size=64', '--initial-old-space-size=256'];

/** Every program gets the arguments that follow the command. */
const PROGRAMS = {
  start: [...NODE, 'src/main.ts', 'serve'],
  waybill: [...NODE, 'src/main.ts'],
  test: ['vitest', 'run'],
  format: ['oxfmt', '.'],
  bench: [...NODE, 'bench/main.ts'],
  chaos: [...NODE, 'chaos/main.ts'],
  city: [...NODE, 'city/main.ts'],
  schemathesis: ['node', 'scripts/schemathesis.mjs'],
};

/** What these run serves the panel, and so does `waybill serve`. */
const WITH_PANEL = new Set(['start', 'test', 'bench', 'city']);

const CHECKS = {
  format: ['oxfmt', '--check', '.'],
  lint: ['oxlint', '--type-aware', '.'],
  types: ['tsc', '-p', '.'],
  'panel types': ['tsc', '-p', 'panel'],
  'dead code': ['knip'],
};

async function main([command, ...args]) {
  const program = PROGRAMS[command];
  if (program === undefined && command !== 'check') {
    throw new SetupError(`Usage: node scripts/run.mjs ${[...Object.keys(PROGRAMS), 'check'].join('|')} [arguments]`);
  }
  await ensureInstalled(root);
  const bin = path.join(root, 'node_modules', '.bin');
  const nodeFolder = path.dirname(await findProjectNode(root));
  const env = { ...process.env, PATH: [nodeFolder, bin, process.env.PATH ?? ''].join(path.delimiter) };
  if (command === 'start') env.WAYBILL_DEMO ??= 'on';
  const locate = (name) => path.join(name === 'node' ? nodeFolder : bin, name);
  const context = { cwd: root, env, locate };
  if (WITH_PANEL.has(command) || (command === 'waybill' && args[0] === 'serve')) await ensurePanelBuilt(context);
  return command === 'check' ? runAll(CHECKS, context) : runProgram([...program, ...args], context);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
