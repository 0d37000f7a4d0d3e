// Runs programs in the foreground and hands on signals and exit codes.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { SetupError } from './install.mjs';
import { findProcess, isStillThere } from './processes.mjs';

const PARENT_CHECK_INTERVAL_MS = 500;

/** Gives the exit code, which for a program that died of a signal is 128 and the signal's number, as in a shell. */
export function runProgram([name, ...args], { cwd, env, locate }) {
  const child = spawn(locate(name), args, { cwd, env, stdio: 'inherit' });
  const stopForwarding = forwardSignals(child);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      stopForwarding();
      reject(new SetupError(`${name} could not be run: ${error.message}`));
    });
    child.once('exit', (code, signal) => {
      stopForwarding();
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

// A terminal sends Ctrl-C to us and to the child alike: passing it on would make two of it, and the second one could
// be taken for impatience. Without a terminal it was meant for us alone, as a SIGTERM always is. We go on until the
// child has gone.
function forwardSignals(child) {
  const fromTerminal = Boolean(process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY);
  const forwarded = new Set();
  const forward = (signal) => {
    if (forwarded.has(signal)) return;
    forwarded.add(signal);
    child.kill(signal);
  };
  const wait = () => {};
  const handlers = {
    SIGTERM: forward,
    SIGINT: fromTerminal ? wait : forward,
    SIGHUP: fromTerminal ? wait : forward,
  };
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
  const endWatch = watchNpm(() => forward('SIGTERM'));
  return () => {
    endWatch();
    for (const [signal, handler] of Object.entries(handlers)) process.off(signal, handler);
  };
}

// npm passes a SIGTERM on to the shell that it started us with, and that shell dies without passing it on to us; a
// killed npm tells nobody. Either way we are left behind, and whoever stopped npm meant the program.
function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return () => {};
  const watched = findNpmAbove();
  const timer = setInterval(async () => {
    const there = await Promise.all((await watched).map(isStillThere));
    if (there.includes(false)) onGone();
  }, PARENT_CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** npm and the shell between, if that is what stands above us. */
async function findNpmAbove() {
  const parent = await findProcess(process.ppid);
  if (parent === undefined || parent.name.startsWith('npm')) return parent === undefined ? [] : [parent];
  const grandparent = await findProcess(parent.parent);
  return grandparent?.name.startsWith('npm') ? [parent, grandparent] : [];
}

/** Runs every one of them even when one fails, so that one run shows all there is to repair. */
export async function runAll(programs, context) {
  const failed = [];
  for (const [name, program] of Object.entries(programs)) {
    console.log(`\n▶ ${name}: ${program.join(' ')}`);
    const startedAt = performance.now();
    const code = await runProgram(program, context);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(code === 0 ? `✔ ${name} (${seconds} s)` : `✘ ${name} (${seconds} s), exit code ${code}`);
    if (code !== 0) failed.push(name);
    if (code > 128) return code;
  }
  console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`);
  return failed.length === 0 ? 0 : 1;
}
