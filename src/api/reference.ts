import { readFile } from 'node:fs/promises';
import scalarReference, { type FastifyApiReferenceOptions } from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from './openapi.ts';

/** The guides of `docs/` that are for callers; `/docs` links them. */
const GUIDES = ['integrators', 'interface'] as const;

export const REFERENCE_PATHS = [
  '/openapi.json',
  ...['/docs', ...GUIDES.map((guide) => `/docs/${guide}`)].flatMap((path) => [path, `${path}/`]),
];

/** `/openapi.json` and, for people, `/docs` and the guides below it. */
export async function registerReference(app: FastifyInstance, publicUrl: string): Promise<void> {
  const document = openApiDocument(publicUrl);
  app.get('/openapi.json', async (_request, reply) => reply.send(document));
  await registerPage(app, '/docs', { url: '/openapi.json', pageTitle: 'Tankwatch API' });
  for (const guide of GUIDES) {
    const content = await readGuide(guide);
    await registerPage(app, `/docs/${guide}`, { content, pageTitle: content.info.title, ...AS_TEXT });
  }
}

/** A guide as a document without operations: what shows the reference then shows the guide, in the same clothes. */
async function readGuide(name: string) {
  const text = await readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
  const [, title = '', rest = ''] = /^# (.*?)\n(.*)$/s.exec(text) ?? [];
  // Between the files of the repository links are relative; here they lead to the same thing as it is served.
  const description = rest.replaceAll(/\]\((\w+)\.md\)/g, '](/docs/$1/)').replaceAll('](../', '](/');
  return { openapi: '3.1.0', info: { title, version: '1', description }, paths: {} };
}

/** Without what only a document with operations needs, and over the whole width: the guides are full of code. */
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
      cdn: '/docs/js/scalar.js', // one script for all pages
      favicon: 'data:,', // none, so that the browser does not ask for one
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

/** The page is one script with inline parts. With this the browser itself refuses anything from outside. */
const POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:";
