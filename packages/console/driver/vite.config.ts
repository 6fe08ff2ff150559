import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { buildWorker } from '../build_worker.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

/** The page of drivers. The build of the console builds it too, into its folder `driver`. */
export default defineConfig({
  root,
  base: '/driver/',
  publicDir: fileURLToPath(new URL('public', import.meta.url)),
  plugins: [
    buildWorker({
      input: `${root}sw.ts`,
      files: (names) => [...names.filter((name) => name.startsWith('assets/')).toSorted(), 'icon.svg'],
    }),
  ],
  build: {
    target: 'es2022', // phones of drivers are older than computers of offices
    modulePreload: false,
    assetsInlineLimit: 0, // the content security policy allows no inline content
    reportCompressedSize: false,
  },
});
