// Writes into the service worker what it cannot import, because it is one file: the list of the courier page's files, so
// that it can prefetch them, and the paths of the answers that it caches. A change in any file changes the worker, which
// is how browsers detect a new build.
import { createHash } from 'node:crypto';
import type { Plugin, Rolldown } from 'vite';
import { courierApi } from '../src/contract/panel/couriers/courier-page.ts';
import { sessionApi } from '../src/contract/panel/people/session.ts';
import { API_ROOT } from '../src/contract/panel/routes.ts';

type Bundle = Record<string, Rolldown.OutputAsset | Rolldown.OutputChunk>;

export const WORKER_FILE = 'sw.js';
/** What the courier's page loads besides the entry. Tooltips are listed because the entry's buttons load them later. */
const COURIER_PARTS = ['/pages/courier/courier-page.tsx', '/ui/floating-tooltip.tsx'];
/** The map's worker thread, which its library starts by URL, and the static files next to the build's output. */
const MAP_WORKER = /^assets\/maplibre-gl-worker-[^/]*\.js$/;
const BESIDE = ['theme.js', 'icon.svg', 'manifest.webmanifest'];

export function fillServiceWorker(): Plugin {
  return {
    name: 'waybill-shell-files',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const worker = bundle[WORKER_FILE];
      if (worker?.type !== 'chunk') this.error(`${WORKER_FILE} is missing`);
      const files = listShellFiles(bundle);
      const version = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 12);
      const constants = {
        SHELL_FILES: files.map((file) => `/${file}`),
        SHELL_VERSION: version,
        API_ROOT,
        SESSION: sessionApi.read.path,
        WORK: courierApi.readWork.path,
      };
      const written = Object.entries(constants).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      worker.code = `const ${written.join(',')};${worker.code}`;
    },
  };
}

/** The entry with its static imports, and the courier's page with its static and dynamic imports. */
export function listShellFiles(bundle: Bundle): string[] {
  const files = new Set<string>(BESIDE);
  const visit = (name: string, isWhole: boolean): void => {
    const chunk = bundle[name];
    if (chunk?.type !== 'chunk' || files.has(name)) return;
    files.add(name);
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
    for (const asset of chunk.viteMetadata?.importedAssets ?? []) files.add(asset);
    for (const imported of chunk.imports) visit(imported, isWhole);
    if (isWhole) for (const imported of chunk.dynamicImports) visit(imported, isWhole);
  };
  for (const [name, output] of Object.entries(bundle)) {
    if (output.type !== 'chunk') {
      if (MAP_WORKER.test(name)) files.add(name);
    } else if (output.isEntry && name !== WORKER_FILE) visit(name, false);
  }
  for (const part of COURIER_PARTS) {
    const chunk = Object.values(bundle).find(
      (output) => output.type === 'chunk' && output.facadeModuleId?.endsWith(part),
    );
    if (chunk === undefined) throw new Error(`The build has no file for ${part}, which the courier's page needs`);
    visit(chunk.fileName, true);
  }
  return [...files].toSorted();
}
