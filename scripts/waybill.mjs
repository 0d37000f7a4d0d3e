#!/usr/bin/env node
// The command `waybill` of the installed package. Runs the service on the Node that was installed with it instead of the
// machine's. Plain JavaScript for Node 18 and later.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runProgram } from './launch.mjs';
import { NODE_OPTIONS } from './node-options.mjs';
import { SetupError } from './setup-error.mjs';

const NODE_MAJOR = 24;
const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));

function findNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath;
  }
  throw new SetupError(
    `Waybill needs Node ${NODE_MAJOR}, and this is ${process.versions.node}. Install Waybill without --omit=optional, ` +
      `or run it on Node ${NODE_MAJOR} or later.`,
  );
}

try {
  const program = [findNode(), ...NODE_OPTIONS, MAIN, ...process.argv.slice(2)];
  const context = { cwd: process.cwd(), env: process.env, locate: (file) => file };
  process.exitCode = await runProgram(program, context);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
