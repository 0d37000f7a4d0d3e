// Entry of every npm script. Installs what is missing, then runs the program on the project's own Node instead of the
// machine's. Plain JavaScript for Node 18 and later, without dependencies, because nothing is installed yet.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, findProjectNode } from './install.mjs';
import { runAll, runProgram } from './launch.mjs';
import { NODE_OPTIONS } from './node-options.mjs';
import { ensurePanelBuilt } from './panel.mjs';
import { SetupError } from './setup-error.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const NODE = ['node', ...NODE_OPTIONS];

/** The arguments after the command are passed on to the program. */
const PROGRAMS = {
  start: [...NODE, 'src/main.ts', 'serve'],
  waybill: [...NODE, 'src/main.ts'],
  test: ['vitest', 'run'],
  format: ['oxfmt', '.'],
  bench: [...NODE, 'bench/main.ts'],
  chaos: [...NODE, 'chaos/main.ts'],
  city: [...NODE, 'city/main.ts'],
  failover: [...NODE, 'failover/main.ts'],
  schemathesis: ['node', 'scripts/schemathesis.mjs'],
  package: ['node', 'scripts/pack.mjs'],
};

/** These commands serve or contain the panel, as does `waybill serve`. */
const WITH_PANEL = new Set(['start', 'test', 'bench', 'city', 'package']);

const CHECKS = {
  format: ['oxfmt', '--check', '.'],
  lint: ['oxlint', '--type-aware', '.'],
  types: ['tsc', '-p', '.'],
  'panel types': ['tsc', '-p', 'panel'],
  'dead code': ['knip', '--treat-config-hints-as-errors'],
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
