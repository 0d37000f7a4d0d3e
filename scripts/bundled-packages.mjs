// The packages that the service needs when it runs, from package-lock.json, and their copies in our package.
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Our own installations replace it with an empty package, because it reports installations to a server. */
const LEFT_OUT = '@scarf/scarf';

/** Nothing reads these at run time: types, source maps, and the packages' own tests and documents. */
const UNUSED_FILE = /\.(?:map|[cm]?ts|test\.js)$/;
const UNUSED_FOLDER = /^(?:tests?|docs|examples?|benchmarks?|node_modules)$/;

/** Folders of packages, such as node_modules/a/node_modules/b. Packages for one kind of machine are not among them. */
export function listBundled({ packages }, names) {
  const found = new Set();
  const visit = (folder, needed) => {
    for (const name of needed) {
      const target = locate(packages, folder, name);
      if (target === undefined || packages[target].os !== undefined || found.has(target)) continue;
      found.add(target);
      visit(target, needsOf(packages[target]));
    }
  };
  visit('', names);
  return [...found].toSorted((one, other) => (one < other ? -1 : 1));
}

function needsOf({ dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers].filter((name) => name !== LEFT_OUT);
}

/** As Node does: in the package's own node_modules, then in those of the folders above. */
function locate(packages, folder, name) {
  for (let from = folder; ; from = from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1))) {
    const candidate = path.posix.join(from, 'node_modules', name);
    if (packages[candidate] !== undefined) return candidate;
    if (from === '') return undefined;
  }
}

export async function copyBundled(from, to) {
  const isUsed = (file) => {
    const [first = '', ...below] = path.relative(from, file).split(path.sep);
    return below.length === 0 ? !UNUSED_FOLDER.test(first) && !UNUSED_FILE.test(first) : !UNUSED_FILE.test(file);
  };
  await cp(from, to, { recursive: true, filter: isUsed });
  const file = path.join(to, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  if (manifest.dependencies?.[LEFT_OUT] === undefined) return;
  delete manifest.dependencies[LEFT_OUT];
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
