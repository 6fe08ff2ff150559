import { readFile } from 'node:fs/promises';
import scalarReference, { type FastifyApiReferenceOptions } from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from './openapi.ts';

/** The files of `docs/` that are served. The introduction of the reference links to them. */
export const GUIDES = [
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

/** Registers the start page, `/openapi.json`, the reference at `/docs`, and the guides below `/docs`. */
export async function registerReference(app: FastifyInstance, publicUrl: string): Promise<void> {
  const document = openApiDocument(publicUrl);
  app.get('/', async (_request, reply) =>
    reply
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
      .type('text/html; charset=utf-8')
      .send(START_PAGE),
  );
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

/** The page at `/`, for people who open the address of the API in a browser. */
const START_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tankwatch</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }</style>
</head>
<body>
<h1>Tankwatch</h1>
<p>This is the API of Tankwatch, which monitors the tanks of gas distributors. Programs read customers, tanks and
telemetry under <code>/v1</code> with an API key.</p>
<ul>
<li><a href="/docs/">API reference</a> (<a href="/openapi.json">OpenAPI</a>)</li>
<li><a href="/docs/integrators/">For integrators</a>: copy the data into your own system</li>
<li><a href="/docs/devices/">Devices</a>: send readings</li>
<li><a href="/docs/events/">Events</a>: receive webhooks and mails</li>
<li><a href="/docs/operators/">For operators</a>: install and run Tankwatch</li>
</ul>
</body>
</html>
`;
