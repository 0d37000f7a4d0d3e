// Builds the panel into panel/dist: hashed assets, a manifest, and each text file also compressed.
import path from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Rolldown } from 'vite';
import { limitMainBundle } from './main-bundle.ts';
import { precompress } from './precompress.ts';
import { fillServiceWorker, WORKER_FILE } from './shell-files.ts';

// By default the bundler makes a file for every module that two pages share: 55 requests before the board is usable.
const CHUNKS: Rolldown.CodeSplittingGroup[] = [
  // A release rarely changes these, so browsers keep them.
  { name: 'libraries', tags: ['$initial'], test: /\/node_modules\/.*js$/, priority: 3 },
  { name: 'main', tags: ['$initial'], test: (id: string) => !id.endsWith('service-worker.ts'), priority: 2 },
  // Modules shared by many of the roughly 30 pages. With 6, the sign-in page loads 9 kB that it does not need.
  { name: 'pages', test: /panel\/src\/|lucide-react|\/src\/(contract|domain)\//, minShareCount: 9, priority: 1 },
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), fillServiceWorker(), precompress(), limitMainBundle()],
  build: {
    outDir: path.join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    // Never inline assets: the content security policy does not allow data: URLs for scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The map is one library of about 1 MB, loaded on the pages that have a map.
    chunkSizeWarningLimit: 1200,
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        main: path.join(import.meta.dirname, 'index.html'),
        worker: path.join(import.meta.dirname, 'src', 'pages', 'courier', 'phone', 'service-worker.ts'),
      },
      output: {
        // The service worker's URL never changes, because the browser looks there for the next version.
        entryFileNames: ({ name }) => (name === 'worker' ? WORKER_FILE : 'assets/[name]-[hash].js'),
        codeSplitting: { groups: CHUNKS },
      },
    },
  },
});
