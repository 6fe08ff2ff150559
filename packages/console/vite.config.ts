import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build, defineConfig, type Plugin } from 'vite';
import { buildWorker } from './build_worker.ts';
import { precompress } from './precompress.ts';
import { worldTiles } from './world/world_plugin.ts';

/** The api to which the development server forwards requests. The default is that of `npm run dev` and of the demo. */
const API_URL = process.env['TANKWATCH_URL'] ?? 'http://127.0.0.1:8080';
const PROXIED = ['/session', '/v1', '/fleet', '/manage', '/healthz', '/console/map.json', '/console/map.pmtiles'];

/** Builds the page of drivers into the folder of the console, so that there is one build and one result. */
function buildDriver(): Plugin {
  let folder = '';
  return {
    name: 'build-driver',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir, 'driver');
    },
    async closeBundle() {
      const configFile = fileURLToPath(new URL('driver/vite.config.ts', import.meta.url));
      await build({ configFile, logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } });
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [
    react(),
    worldTiles(),
    buildDriver(),
    buildWorker({
      input: fileURLToPath(new URL('worker/sw.ts', import.meta.url)),
      // The files that the page itself names. Other files are kept when they are loaded.
      files: (_names, page) => [...page.matchAll(/"\/console\/(assets\/[^"]+)"/g)].map(([, name = '']) => name),
    }),
    precompress(),
  ],
  resolve: {
    alias: { '@tankwatch/client': fileURLToPath(new URL('../client/src/client.ts', import.meta.url)) },
  },
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false }, // every browser of this target preloads modules
    assetsInlineLimit: 0, // the content security policy allows no inline content
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_200, // kB: MapLibre is one file
    license: { fileName: 'licenses.md' }, // of the bundled packages; their licenses require a copy
    rolldownOptions: {
      checks: { pluginTimings: false }, // it would report that `precompress` takes longer than the build
      // The first page is one file, which is 6 kB smaller than 25 files, compressed.
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
  server: {
    // The service checks that requests which change something come from its own origin.
    proxy: Object.fromEntries(
      PROXIED.map((path) => [path, { target: API_URL, changeOrigin: true, headers: { origin: API_URL } }]),
    ),
  },
});
