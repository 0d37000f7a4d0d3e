// Fails the build if the initial load is too large: everything index.html needs before anything shows, gzipped.
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';
import { WORKER_FILE } from './shell-files.ts';

const MAX_BYTES = 180_000;

type Bundle = Record<string, Rolldown.OutputAsset | Rolldown.OutputChunk>;

export function limitMainBundle(): Plugin {
  return {
    name: 'waybill-main-bundle',
    apply: 'build',
    writeBundle(_options, bundle) {
      const { bytes, files } = measureMainBundle(bundle);
      const size = `The main bundle is ${(bytes / 1000).toFixed(0)} kB compressed (${files.join(', ')})`;
      if (bytes > MAX_BYTES) this.error(`${size}; the limit is ${MAX_BYTES / 1000} kB. Load something later.`);
    },
  };
}

/** The page's entry, its static imports and their styles. The service worker is fetched after the page has loaded. */
export function measureMainBundle(bundle: Bundle): { bytes: number; files: string[] } {
  const files = new Set<string>();
  const visit = (name: string): void => {
    const chunk = bundle[name];
    if (chunk === undefined || files.has(name)) return;
    files.add(name);
    if (chunk.type !== 'chunk') return;
    for (const imported of chunk.imports) visit(imported);
    for (const style of chunk.viteMetadata?.importedCss ?? []) visit(style);
  };
  for (const [name, output] of Object.entries(bundle)) {
    if (output.type === 'chunk' && output.isEntry && name !== WORKER_FILE) visit(name);
  }
  const bytes = [...files].reduce((sum, name) => sum + compressedSize(bundle[name]), 0);
  return { bytes, files: [...files] };
}

function compressedSize(output: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): number {
  if (output === undefined) return 0;
  return gzipSync(output.type === 'chunk' ? output.code : output.source, { level: 9 }).length;
}
