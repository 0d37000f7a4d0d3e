// Runs programs in the foreground and forwards signals and exit codes.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { findProcess, isStillThere } from './processes.mjs';
import { SetupError } from './setup-error.mjs';

const PARENT_CHECK_INTERVAL_MS = 500;

/** Resolves to the exit code. If a signal killed the program, it is 128 plus the signal's number, as in a shell. */
export function runProgram([name, ...args], { cwd, env, locate }) {
  const child = spawn(locate(name), args, { cwd, env, stdio: 'inherit' });
  const stopForwarding = forwardSignals(child);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      stopForwarding();
      reject(new SetupError(`Couldn't run ${name}: ${error.message}`));
    });
    child.once('exit', (code, signal) => {
      stopForwarding();
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

// A terminal sends Ctrl-C to this process and to the child. Forwarding it would deliver it twice, and the child could
// take the second one as a demand to stop immediately. Without a terminal, only this process receives SIGINT, as with
// every SIGTERM, and forwards it. In any case this process keeps running until the child has exited.
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

// npm forwards SIGTERM only to the shell that started this process, and that shell dies without forwarding it. A killed
// npm forwards nothing. Either way this process would keep running, although stopping npm means stopping the program.
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

/** The npm that started this process, and the shell between them, if any. */
async function findNpmAbove() {
  const parent = await findProcess(process.ppid);
  if (parent === undefined || parent.name.startsWith('npm')) return parent === undefined ? [] : [parent];
  const grandparent = await findProcess(parent.parent);
  return grandparent?.name.startsWith('npm') ? [parent, grandparent] : [];
}

/** Runs all of them even if one fails, so that one run shows every problem. */
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
