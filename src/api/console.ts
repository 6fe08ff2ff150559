import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { notFound } from '../http/problem.ts';

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
  // A page of an older release would load files that no longer exist.
  'cache-control': 'no-store',
};

/** Files whose names have no hash of their content. */
const PUBLIC_FILES = ['icon.svg', 'icon-192.png', 'icon-512.png', 'manifest.webmanifest'] as const;

/**
 * Registers the console under /console. Without its built files, /console is not found, the log has the reason, and the
 * result is false.
 */
export async function registerConsole(app: FastifyInstance, folder: string = CONSOLE_FOLDER): Promise<boolean> {
  if (!existsSync(`${folder}/index.html`)) {
    app.log.warn({ folder }, 'the console is not built and not served; run npm run build:console, or set CONSOLE=off');
    return false;
  }
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
  });
  const sendPage = (reply: FastifyReply): FastifyReply => reply.headers(PAGE_HEADERS).sendFile('index.html');

  app.get('/console', (_request, reply) => sendPage(reply));
  for (const file of PUBLIC_FILES) {
    app.get(`/console/${file}`, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=3600').sendFile(file),
    );
  }
  app.get<{ Params: { file: string } }>('/console/assets/:file', async (request, reply) => {
    const { file } = request.params;
    if (!/^[\w-]+\.(js|css|json)$/.test(file) || !existsSync(`${folder}/assets/${file}`)) throw notFound('path');
    // The name contains a hash of the content.
    return reply.header('cache-control', 'public, max-age=31536000, immutable').sendFile(`assets/${file}`);
  });
  // Every other path is a page of the console, which reads it in the browser.
  app.get('/console/*', (_request, reply) => sendPage(reply));
  return true;
}
