import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../../http/problem.ts';
import type { MapConfig } from '../../settings/map_settings.ts';
import { type Authenticate, registerMapTiles } from './map_tiles.ts';
import { StaticFile, type StaticFileOptions } from './static_file.ts';

/** The built files of packages/console. Its folder `driver` has the page of drivers. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../packages/console/dist', import.meta.url));

/**
 * The content security policy allows only scripts and styles of this origin, nothing inline, and no text turned into
 * code or markup. The policies of Trusted Types let the map start its own worker, and the page its service worker.
 * Requests may go to this origin, and to the origin of the map style if it differs.
 */
const policyOf = (mapOrigin: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", mapOrigin].filter(Boolean).join(' '),
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default worker',
  ].join('; ');

const pageHeaders = (policy: string) => ({
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
});
/** The path of the operator's map tiles. If the file is replaced, the new file is served after a restart of the api. */
const TILES_PATH = '/console/map.pmtiles';
const TILES_CACHE_CONTROL = 'private, max-age=86400';
/** The policy of the service workers of the console and of the drivers' page. They only read files. */
export const WORKER_POLICY = { 'content-security-policy': "default-src 'none'; connect-src 'self'" };
/**
 * The name of the file contains its hash. The cache is private, because only people who are signed in may read the
 * file.
 */
const BUILT_TILES_CACHE_CONTROL = 'private, max-age=31536000, immutable';
/** The name of an asset contains a hash of its content. */
const ASSET_CACHE_CONTROL = 'public, max-age=31536000, immutable';
/** The page is not cached, because the page of an older release would load files that no longer exist. */
const PAGE_CACHE_CONTROL = 'no-store';

export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

export interface ConsoleOptions {
  folder?: string;
  map?: MapConfig | undefined;
  /** Throws if the request has no session. */
  authenticate: Authenticate;
}

/**
 * Registers the console under /console. Without its built files, /console is not found, the log has the reason, and the
 * result is false.
 */
export async function registerConsole(
  app: FastifyInstance,
  { folder = CONSOLE_FOLDER, map = { styleUrl: '', tilesFile: '' }, authenticate }: ConsoleOptions,
): Promise<boolean> {
  if (!existsSync(`${folder}/index.html`)) {
    app.log.warn({ folder }, 'the console is not built and not served; run npm run build:console, or set CONSOLE=off');
    return false;
  }
  const policy = policyOf(map.styleUrl === '' ? undefined : new URL(map.styleUrl).origin);
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((file) => extname(file) === '.pmtiles'))
    await registerMapTiles(app, {
      path: `/console/${name}`,
      file: join(folder, name),
      cacheControl: BUILT_TILES_CACHE_CONTROL,
      authenticate,
    });
  for (const name of names) {
    const type = CONTENT_TYPES[extname(name)];
    if (type === undefined || name.startsWith('driver/')) continue; // registered elsewhere, or a compressed file
    const file = await readStaticFile(join(folder, name), { type, ...fileOptionsOf(name, policy) });
    app.get(`/console/${name}`, (request, reply) => file.send(request, reply));
  }
  if (map.tilesFile !== '')
    await registerMapTiles(app, {
      path: TILES_PATH,
      file: map.tilesFile,
      cacheControl: TILES_CACHE_CONTROL,
      authenticate,
    });
  const background = { style_url: map.styleUrl || null, tiles_url: map.tilesFile === '' ? null : TILES_PATH };
  const mapFile = new StaticFile(Buffer.from(JSON.stringify(background)), {
    type: CONTENT_TYPES['.json'] ?? '',
    cacheControl: PAGE_CACHE_CONTROL,
  });
  app.get('/console/map.json', (request, reply) => mapFile.send(request, reply));
  const page = await readStaticFile(join(folder, 'index.html'), {
    type: 'text/html; charset=utf-8',
    cacheControl: PAGE_CACHE_CONTROL,
    headers: pageHeaders(policy),
  });
  app.get('/console/assets/*', () => Promise.reject(notFound('path')));
  // Every other path is a page of the console. The script in the browser reads the path.
  for (const path of ['/console', '/console/*']) app.get(path, (request, reply) => page.send(request, reply));
  return true;
}

/**
 * A worker has the policy of its own file, not of the page. Browsers must revalidate both workers: a setting can change
 * the policy of the map's worker, and the name of the service worker contains no hash.
 */
function fileOptionsOf(name: string, policy: string): Pick<StaticFileOptions, 'cacheControl' | 'headers'> {
  if (name === 'sw.js') return { cacheControl: 'public, no-cache', headers: WORKER_POLICY };
  if (name.endsWith('.mjs'))
    return { cacheControl: 'public, no-cache', headers: { 'content-security-policy': policy } };
  return { cacheControl: name.startsWith('assets/') ? ASSET_CACHE_CONTROL : 'public, max-age=3600' };
}

/** Reads a file, and its compressed forms if the build has written them. */
export async function readStaticFile(path: string, options: StaticFileOptions): Promise<StaticFile> {
  const read = (suffix: string): Promise<Buffer> => readFile(`${path}${suffix}`);
  if (!existsSync(`${path}.br`)) return new StaticFile(await read(''), options);
  return new StaticFile(await read(''), {
    ...options,
    compressed: { br: await read('.br'), gzip: await read('.gz') },
  });
}
