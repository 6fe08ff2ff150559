import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { DRIVER_PAGE } from '../../deliveries/driver_links.ts';
import { notFound } from '../../http/problem.ts';
import { CONSOLE_FOLDER, CONTENT_TYPES, readStaticFile, WORKER_POLICY } from '../pages/console.ts';

/**
 * The content security policy allows only resources of this origin, and no inline scripts or styles. The policy
 * `worker` of Trusted Types lets the page start its service worker.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types worker',
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'x-robots-tag': 'noindex',
};

/** Registers the page of drivers and its service worker. The page reads its data with the token of the driver's link. */
export async function registerDriverPage(
  app: FastifyInstance,
  folder: string = join(CONSOLE_FOLDER, 'driver'),
): Promise<void> {
  if (!existsSync(`${folder}/index.html`)) {
    app.log.warn({ folder }, 'the page of drivers is not built and not served; run npm run build:console');
    return;
  }
  for (const name of await readdir(folder, { recursive: true })) {
    const type = CONTENT_TYPES[extname(name)];
    if (type === undefined) continue; // index.html is registered below, compressed files with their originals
    const file = await readStaticFile(join(folder, name), {
      type,
      // The name of an asset contains a hash of its content. The name of the service worker does not, so browsers must
      // check whether it has changed.
      cacheControl: name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, no-cache',
      headers: name === 'sw.js' ? WORKER_POLICY : {},
    });
    app.get(`${DRIVER_PAGE}${name}`, (request, reply) => file.send(request, reply));
  }
  const page = await readStaticFile(join(folder, 'index.html'), {
    type: 'text/html; charset=utf-8',
    cacheControl: 'no-store',
    headers: PAGE_HEADERS,
  });
  app.get(DRIVER_PAGE, (request, reply) => page.send(request, reply));
  // The browser keeps the fragment of the address, which has the token.
  app.get('/driver', (_request, reply) => reply.redirect(DRIVER_PAGE, 302));
  app.get(`${DRIVER_PAGE}assets/*`, () => Promise.reject(notFound('path')));
}
