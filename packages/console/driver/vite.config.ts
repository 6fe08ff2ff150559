import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Tells the service worker which files the page needs. Their names have a hash, so a new release is a new worker. */
function listFiles(): Plugin {
  return {
    name: 'list-files',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const worker = bundle['sw.js'];
      if (worker?.type !== 'chunk') throw new Error('the build has no sw.js');
      const assets = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
      const files = ['', ...assets, 'icon.svg'].map((name) => `/driver/${name}`);
      const page = bundle['index.html'];
      const content = page?.type === 'asset' ? page.source : '';
      const release = createHash('sha256').update(content).update(files.join('\n')).digest('hex').slice(0, 12);
      worker.code = worker.code.replace('__FILES__', files.join(' ')).replace('__RELEASE__', release);
    },
  };
}

/** The page of drivers. The build of the console builds it too, into its folder `driver`. */
export default defineConfig({
  root,
  base: '/driver/',
  publicDir: fileURLToPath(new URL('public', import.meta.url)),
  plugins: [listFiles()],
  build: {
    target: 'es2022', // phones of drivers are older than computers of offices
    modulePreload: false,
    assetsInlineLimit: 0, // the content security policy allows no inline content
    reportCompressedSize: false,
    rolldownOptions: {
      input: { page: `${root}index.html`, sw: `${root}sw.ts` },
      output: {
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
