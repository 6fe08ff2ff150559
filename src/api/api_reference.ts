import { readFile } from 'node:fs/promises';
import scalarReference, { type FastifyApiReferenceOptions } from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from './openapi.ts';

/** The files of `docs/` that are served. The introduction of the reference links to them. */
export const GUIDES = [
  'console',
  'integrators',
  'interface',
  'devices',
  'events',
  'detection',
  'operators',
  'settings',
  'privacy',
] as const;

export const REFERENCE_PATHS = [
  '/',
  '/openapi.json',
  ...['/docs', ...GUIDES.map((guide) => `/docs/${guide}`)].flatMap((path) => [path, `${path}/`]),
];

/** Registers `/openapi.json`, the reference at `/docs`, and the guides below `/docs`. */
export async function registerReference(app: FastifyInstance, publicUrl: string): Promise<void> {
  const document = openApiDocument(publicUrl);
  app.get('/openapi.json', async (_request, reply) => reply.send(document));
  await registerPage(app, '/docs', { url: '/openapi.json', pageTitle: 'Tankwatch API' });
  for (const guide of GUIDES) {
    const content = await readGuide(guide);
    await registerPage(app, `/docs/${guide}`, { content, pageTitle: content.info.title, ...AS_TEXT });
  }
}

/** Turns a guide into an OpenAPI document without operations, so that the reference viewer renders it too. */
async function readGuide(name: string) {
  const text = await readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
  const [, title = '', rest = ''] = /^# (.*?)\n(.*)$/s.exec(text) ?? [];
  return { openapi: '3.1.0', info: { title, version: '1', description: rest.replaceAll(LINK, servedLink) }, paths: {} };
}

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

/**
 * Links between files of the repository are relative. Here they become the paths under which the files are served. A
 * link to a file that is not served becomes plain text.
 */
function servedLink(link: string, text: string, target: string): string {
  if (/^[a-z]+:/.test(target)) return link;
  if (target === '../openapi.json') return `[${text}](/openapi.json)`;
  const [, guide = '', anchor = ''] = /^(?:(\w+)\.md)?(?:#(.+))?$/.exec(target) ?? [];
  // The viewer puts the headings of a text below "description/".
  const heading = anchor === '' ? '' : `#description/${anchor}`;
  if (guide === '' && heading !== '') return `[${text}](${heading})`;
  return GUIDES.some((known) => known === guide) ? `[${text}](/docs/${guide}/${heading})` : text;
}

/** Hides the controls for operations, and uses the full width, because the guides contain much code. */
const AS_TEXT = {
  hideModels: true,
  hiddenClients: true,
  documentDownloadType: 'none',
  customCss: '.introduction-section .section-columns { display: block } .introduction-section .badge { display: none }',
} as const;

type PageConfiguration = FastifyApiReferenceOptions['configuration'];

async function registerPage(app: FastifyInstance, routePrefix: `/${string}`, page: PageConfiguration): Promise<void> {
  await app.register(scalarReference, {
    routePrefix,
    hooks: {
      onRequest(_request, reply, done) {
        void reply.header('content-security-policy', POLICY);
        done();
      },
    },
    configuration: {
      cdn: '/docs/js/scalar.js', // all pages share one script
      favicon: 'data:,', // no favicon, so that the browser does not request one
      defaultOpenAllTags: true,
      showDeveloperTools: 'never',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
      ...page,
    },
  });
}

/**
 * The viewer needs inline scripts and styles, and styles and fonts as data. It works without eval. The browser blocks
 * every other origin, so that the page cannot send an API key elsewhere, and nobody can show the page in a frame.
 */
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'self'",
].join('; ');
