import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build, type Plugin } from 'vite';

interface WorkerOptions {
  /** The file of the worker. */
  input: string;
  /** Returns the files of the build that the worker keeps. Gets the names of all files, and the page. */
  files: (names: readonly string[], page: string) => readonly string[];
}

/**
 * Builds the service worker of a page as one file, after the page, with the list of files to keep. Their names have a hash, so
 * that the worker of a new release differs.
 */
export function buildWorker({ input, files }: WorkerOptions): Plugin {
  let folder = '';
  let base = '';
  return {
    name: 'build-worker',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
      base = config.base;
    },
    async closeBundle() {
      const page = await readFile(resolve(folder, 'index.html'), 'utf8');
      const kept = ['', ...files(await readdir(folder, { recursive: true }), page)].map((name) => `${base}${name}`);
      const release = createHash('sha256').update(page).update(kept.join('\n')).digest('hex').slice(0, 12);
      await build({
        configFile: false,
        root: resolve(input, '..'),
        publicDir: false,
        logLevel: 'warn',
        define: { KEPT_FILES: JSON.stringify(kept), RELEASE: JSON.stringify(release) },
        build: {
          outDir: folder,
          emptyOutDir: false,
          target: 'es2022',
          modulePreload: false,
          reportCompressedSize: false,
          rolldownOptions: { input: { sw: input }, output: { entryFileNames: '[name].js' } },
        },
      });
    },
  };
}
