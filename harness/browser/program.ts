// Picks the Chromium for the browser tests: the configured one, an installed one, one from npm, or Debian's package.
import { execFile, spawn } from 'node:child_process';
import { access, chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export interface BrowserProgram {
  file: string;
  /** Added to the environment of the tests. */
  env: Record<string, string>;
}

/** Its message is one sentence for the person who runs the tests. */
class NoBrowser extends Error {}

/** Preferred first: without a window, it needs two thirds of the processor time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
const ANSWER_TIMEOUT_MS = 20_000;

// Built for bare machines: it bundles its libraries and fonts and needs only glibc. It is not a dependency, because
// everyone who has a browser would download its 70 MB for nothing. x64 only.
const PACKAGE = '@sparticuz/chromium';
const VERSION = '153.0.0';
const CACHE = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'waybill', `chromium-${VERSION}`);

export async function findBrowserProgram(say: (line: string) => void): Promise<BrowserProgram> {
  const named = process.env['WAYBILL_TEST_BROWSER'];
  if (named !== undefined && named !== '') {
    if (await answers({ file: named, env: {} })) return { file: named, env: {} };
    throw new NoBrowser(`WAYBILL_TEST_BROWSER names ${named}, which does not run as Chromium or Chrome.`);
  }
  const found = (await findOnMachine()) ?? (await bringFromNpm(say)) ?? (await installFromDebian(say));
  if (found !== undefined) return found;
  throw new NoBrowser(
    'The browser tests need Chromium or Chrome: install one, or set WAYBILL_TEST_BROWSER to the path of its program.',
  );
}

async function findOnMachine(): Promise<BrowserProgram | undefined> {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  for (const name of NAMES) {
    for (const folder of folders) {
      const program = { file: path.join(folder, name), env: {} };
      if ((await exists(program.file)) && (await answers(program))) return program;
    }
  }
  return undefined;
}

/** Runs the program: it may be a stub that only prints how to install the real one. */
async function answers({ file, env }: BrowserProgram): Promise<boolean> {
  return promisify(execFile)(file, ['--version'], {
    env: { ...process.env, ...env },
    timeout: ANSWER_TIMEOUT_MS,
  }).then(
    ({ stdout }) => /chrom/i.test(stdout),
    () => false,
  );
}

async function bringFromNpm(say: (line: string) => void): Promise<BrowserProgram | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const program = {
    file: path.join(CACHE, 'chromium'),
    env: { LD_LIBRARY_PATH: path.join(CACHE, 'al2023', 'lib'), FONTCONFIG_PATH: path.join(CACHE, 'fonts') },
  };
  if (!(await exists(program.file))) {
    say('No Chromium on this machine; fetching one from npm (70 MB, once)');
    try {
      await unpackFromNpm();
    } catch (error) {
      say(`It could not be fetched: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
    say('Fetched');
  }
  return (await answers(program)) ? program : undefined;
}

/** Atomic: unpacks into a temporary folder and renames it, so that the cache is never incomplete. */
async function unpackFromNpm(): Promise<void> {
  await mkdir(path.dirname(CACHE), { recursive: true });
  const folder = await mkdtemp(`${CACHE}.new-`);
  try {
    const packages = path.join(folder, 'packages');
    const unpacked = path.join(folder, 'unpacked');
    for (const made of [packages, unpacked]) await mkdir(made);
    await run('npm', [
      'install',
      '--prefix',
      packages,
      '--no-save',
      '--no-audit',
      '--no-fund',
      `${PACKAGE}@${VERSION}`,
    ]);
    await run(process.execPath, ['--input-type=module', '-e', UNPACK, path.join(packages, 'node_modules', PACKAGE)], {
      TMPDIR: unpacked,
      // Without this, it assumes that the machine has its libraries and does not unpack them.
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    });
    await chmod(path.join(unpacked, 'chromium'), 0o755);
    await writeFile(path.join(unpacked, 'fonts', 'fonts.conf'), FONTS);
    await rm(CACHE, { recursive: true, force: true });
    await rename(unpacked, CACHE);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The package unpacks itself into TMPDIR. */
const UNPACK = `
  import path from 'node:path';
  import { pathToFileURL } from 'node:url';
  const { default: chromium } = await import(pathToFileURL(path.join(process.argv[1], 'build', 'index.js')).href);
  await chromium.executablePath();
`;

/** Replaces the package's own configuration, which expects its fonts in /tmp. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

async function installFromDebian(say: (line: string) => void): Promise<BrowserProgram | undefined> {
  if (process.getuid?.() !== 0 || !(await exists('/usr/bin/apt-get'))) return undefined;
  say("No Chromium on this machine; installing Debian's with apt-get");
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run('apt-get', ['update', '-qq'], env);
    await run('apt-get', ['install', '-qq', '--no-install-recommends', 'chromium-headless-shell'], env);
  } catch (error) {
    say(`It could not be installed: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
  return findOnMachine();
}

function run(file: string, args: readonly string[], env: Record<string, string> = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${path.basename(file)} ended with ${code}. ${complaint.trim().slice(-500)}`));
    });
  });
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
