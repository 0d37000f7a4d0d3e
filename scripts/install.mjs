// Installs the packages of package-lock.json when they are missing or stale, exactly once even if several commands
// start concurrently. Writes to standard error only, because standard output belongs to the program.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { withInstallLock } from './install-lock.mjs';
import { SetupError } from './setup-error.mjs';

const NODE_MAJOR = 24;
const NPM_VERSION = '11.19.1';
// Errors only: on Node 18 and 20, npm warns about each package that requires a newer Node, although it will run on 24.
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];
// By default, npm waits more than a minute for a registry that does not respond.
const IMPATIENT = ['--fetch-retry-mintimeout=2000', '--fetch-retry-maxtimeout=8000'];
const NETWORK_FAILURE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|network request to .* failed/;

export async function ensureInstalled(root) {
  const expected = await computeStamp(root);
  if (await isInstalled(root, expected)) return;
  await withInstallLock(path.join(root, '.installing'), async ({ guard }) => {
    if (!(await isInstalled(root, expected))) await install({ root, guard }, expected);
  });
}

// The stamp is removed first and written last, so the next run restarts an interrupted installation.
async function install(project, expected) {
  const { root } = project;
  const startedAt = performance.now();
  console.error('Installing packages (first run, or package-lock.json has changed)');
  await rm(stampFile(root), { force: true });
  const npm = await findCapableNpm(project);
  try {
    await runNpm(npm, ['ci', '--include=dev', '--include=optional'], { cwd: root, ...project });
    if (!(await answersAsProjectNode(projectNode(root)))) {
      console.error(`npm skipped the install script of Node ${NODE_MAJOR}; running it now`);
      await repairNode(npm, project);
    }
  } finally {
    await rm(toolsFolder(root), { recursive: true, force: true });
  }
  await refuseGaps(root);
  await writeFile(stampFile(root), expected);
  console.error(`Installed in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

async function isInstalled(root, expected) {
  const stamp = await readFile(stampFile(root), 'utf8').catch(() => undefined);
  return stamp === expected && (await exists(projectNode(root)));
}

/** Packages hold native programs, so a folder copied from another kind of machine is stale too. */
async function computeStamp(root) {
  const lockfile = await readFile(path.join(root, 'package-lock.json'));
  const hash = createHash('sha256').update(lockfile).digest('hex');
  return `${hash} ${process.platform} ${process.arch} ${await detectLibc()}\n`;
}

async function detectLibc() {
  const names = await readdir('/lib').catch(() => []);
  return names.some((name) => name.startsWith('ld-musl-')) ? 'musl' : 'glibc';
}

function stampFile(root) {
  return path.join(root, 'node_modules', '.waybill-installed');
}

function projectNode(root) {
  return path.join(root, 'node_modules', 'node', 'bin', 'node');
}

export async function findProjectNode(root) {
  const file = projectNode(root);
  if (await answersAsProjectNode(file)) return file;
  await rm(stampFile(root), { force: true });
  throw new SetupError(
    `Node ${NODE_MAJOR} in node_modules doesn't run on this machine. Run the command again to reinstall it.`,
  );
}

async function answersAsProjectNode(file) {
  return promisify(execFile)(file, ['--version']).then(
    ({ stdout }) => stdout.startsWith(`v${NODE_MAJOR}.`),
    () => false,
  );
}

// Does what the package's own preinstall script does, for an npm that is configured to run no scripts.
async function repairNode(npm, project) {
  const { root } = project;
  const folder = path.join(root, 'node_modules', 'node');
  const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const name = `node-${process.platform}-${process.arch}`;
  await runNpm(npm, ['install', '--no-save', `${name}@${version}`], { cwd: folder, ...project });
  await mkdir(path.join(folder, 'bin'), { recursive: true });
  await copyFile(path.join(folder, 'node_modules', name, 'bin', 'node'), projectNode(root)).catch(() => undefined);
  if (await answersAsProjectNode(projectNode(root))) return;
  throw new SetupError(`Couldn't set up Node ${NODE_MAJOR}. Run npm rebuild node in ${root} to see the error.`);
}

// npm silently skips optional packages that need a newer Node than the machine's, among them the native programs for
// each platform. Some of Debian's npm versions cannot read the lock file.
async function findCapableNpm(project) {
  const { root } = project;
  const own = await findNpm(searchPathWithout(root));
  const versions = await askVersions(own);
  if (versions === undefined || isCapable(versions)) return own;
  console.error(
    `Fetching Node ${NODE_MAJOR} and npm ${NPM_VERSION} first: npm ${versions.npm} on Node ${versions.node} is too old`,
  );
  const folder = toolsFolder(root);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await writeFile(path.join(folder, 'package.json'), '{"private":true}');
  const { dependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  const node = `node-${process.platform}-${process.arch}`;
  const wanted = [`npm@${NPM_VERSION}`, `${node}@${dependencies.node}`];
  await runNpm(own, ['install', '--no-save', '--ignore-scripts', ...wanted], { cwd: folder, ...project });
  const packages = path.join(folder, 'node_modules');
  const bin = path.join(packages, node, 'bin');
  const searchPath = [bin, path.join(packages, '.bin'), own.searchPath].join(path.delimiter);
  return { command: [path.join(bin, 'node'), path.join(packages, 'npm', 'bin', 'npm-cli.js')], searchPath };
}

function toolsFolder(root) {
  return path.join(root, '.installing-tools');
}

async function askVersions({ command: [file, ...first], searchPath }) {
  const env = { ...process.env, PATH: searchPath };
  return promisify(execFile)(file, [...first, 'version', '--json'], { cwd: tmpdir(), env }).then(
    ({ stdout }) => JSON.parse(stdout),
    () => undefined,
  );
}

function isCapable({ npm, node }) {
  return isAtLeast(npm, 9, 3) && (isAtLeast(node, 22, 12) || (node.startsWith('20.') && isAtLeast(node, 20, 19)));
}

function isAtLeast(version, major, minor) {
  const [ownMajor, ownMinor] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

/** Without this check, a package that npm left out would cause a cryptic error much later. */
async function refuseGaps(root) {
  const { packages = {} } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  const libc = await detectLibc();
  const isForHere = ({ os, cpu, libc: libcs }) =>
    cpu?.includes(process.arch) &&
    (os ?? [process.platform]).includes(process.platform) &&
    (libcs ?? [libc]).includes(libc);
  for (const [folder, entry] of Object.entries(packages)) {
    if (!isForHere(entry) || (await exists(path.join(root, folder)))) continue;
    const name = folder.replace(/^.*node_modules\//, '');
    throw new SetupError(
      `npm skipped ${name}, which this machine needs. Run the command again, or check npm config list.`,
    );
  }
}

async function runNpm({ command: [file, ...first], searchPath }, args, { cwd, guard }) {
  const child = spawn(file, [...first, ...args, ...QUIET, ...IMPATIENT], {
    cwd,
    env: { ...process.env, PATH: searchPath },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.code));
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  await guard(child.pid);
  const result = await ended;
  if (result !== 0) throw explainFailure(result, said);
}

function explainFailure(result, said) {
  if (result === 'ENOENT') {
    return new SetupError('npm is not on the PATH. Install Node.js 18 or later with npm, and try again.');
  }
  if (NETWORK_FAILURE.test(said)) {
    const registry = /https?:\/\/[^/\s]+/.exec(said)?.[0] ?? 'the npm registry';
    return new SetupError(
      `Can't reach ${registry} to install packages. Connect to the network ` +
        '(or set npm\'s "registry" or "proxy") and try again.',
    );
  }
  console.error(said.trim());
  return new SetupError(`npm couldn't install the packages (${result}). See its output above.`);
}

// npm_execpath names the npm that started this process, even if it is not on the PATH. It must run on the machine's
// Node, because the project's own is in node_modules, which npm is about to empty.
async function findNpm(searchPath) {
  const script = process.env.npm_execpath ?? '';
  if (path.basename(script) !== 'npm-cli.js' || !(await exists(script))) return { command: ['npm'], searchPath };
  for (const folder of searchPath.split(path.delimiter)) {
    const node = path.join(folder, 'node');
    if (folder !== '' && (await exists(node))) return { command: [node, script], searchPath };
  }
  return { command: [process.execPath, script], searchPath };
}

function searchPathWithout(root) {
  const packages = path.join(root, 'node_modules') + path.sep;
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.filter((folder) => !`${folder}${path.sep}`.startsWith(packages)).join(path.delimiter);
}

function exists(file) {
  return access(file).then(
    () => true,
    () => false,
  );
}
