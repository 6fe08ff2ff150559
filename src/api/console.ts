import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../http/problem.ts';
import { StaticFile, type StaticFileOptions } from './static_file.ts';

/** The built files of packages/console. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../packages/console/dist', import.meta.url));

/**
 * Only scripts and styles of this origin, nothing inline, no text turned into code or markup, and no request to another
 * origin.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};
/** A page of an older release would load files that no longer exist. */
const PAGE_CACHE_CONTROL = 'no-store';

/** By extension. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

/**
 * Registers the console under /console. Without its built files, /console is not found, the log has the reason, and the
 * result is false.
 */
export async function registerConsole(app: FastifyInstance, folder: string = CONSOLE_FOLDER): Promise<boolean> {
  if (!existsSync(`${folder}/index.html`)) {
    app.log.warn({ folder }, 'the console is not built and not served; run npm run build:console, or set CONSOLE=off');
    return false;
  }
  for (const name of await readdir(folder, { recursive: true })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue; // index.html, and compressed files
    // The name of an asset contains a hash of its content.
    const cacheControl = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600';
    const file = await readStaticFile(join(folder, name), { type, cacheControl });
    app.get(`/console/${name}`, (request, reply) => file.send(request, reply));
  }
  const page = await readStaticFile(join(folder, 'index.html'), {
    type: 'text/html; charset=utf-8',
    cacheControl: PAGE_CACHE_CONTROL,
    headers: PAGE_HEADERS,
  });
  app.get('/console/assets/*', () => Promise.reject(notFound('path')));
  // Every other path is a page of the console, which reads it in the browser.
  for (const path of ['/console', '/console/*']) app.get(path, (request, reply) => page.send(request, reply));
  return true;
}

/** The build has compressed the text files. */
async function readStaticFile(path: string, options: StaticFileOptions): Promise<StaticFile> {
  const read = (suffix: string): Promise<Buffer> => readFile(`${path}${suffix}`);
  if (!existsSync(`${path}.br`)) return new StaticFile(await read(''), options);
  return new StaticFile(await read(''), {
    ...options,
    compressed: { br: await read('.br'), gzip: await read('.gz') },
  });
}
