import { readFile } from 'node:fs/promises';
import scalarReference, { type FastifyApiReferenceOptions } from '@scalar/fastify-api-reference';
import Fastify, { type FastifyInstance } from 'fastify';
import { StaticFile } from '../pages/static_file.ts';
import { openApiDocument } from './openapi.ts';

/**
 * The names under which guides are served, and their files in `docs/`. The introduction of the reference links to them.
 */
export const GUIDE_FILES: Readonly<Record<string, string>> = {
  console: 'dispatchers/console.md',
  alerts: 'dispatchers/alerts.md',
  rounds: 'dispatchers/rounds.md',
  integrators: 'integrators/recipes.md',
  interface: 'integrators/interface.md',
  manage: 'integrators/manage.md',
  devices: 'integrators/devices.md',
  events: 'integrators/events.md',
  detection: 'developers/detection.md',
  guide: 'operators/guide.md',
  operators: 'operators/daily.md',
  import: 'operators/import.md',
  notifications: 'operators/notifications.md',
  access: 'operators/access.md',
  backup: 'operators/backup.md',
  data: 'operators/data.md',
  settings: 'operators/settings.md',
};

const GUIDES = Object.entries(GUIDE_FILES);
const GUIDE_PATHS = Object.keys(GUIDE_FILES).map((guide) => `/docs/${guide}`);

const SCRIPT_PATH = '/docs/js/scalar.js';

export const REFERENCE_PATHS = [
  '/',
  '/openapi.json',
  ...['/docs', ...GUIDE_PATHS].flatMap((path) => [path, `${path}/`]),
];

/** The pages of the reference, each with the files below it. */
const PAGE_FILES = [
  ['/docs', ['/']],
  ...GUIDE_PATHS.map((page) => [page, ['/', '/openapi.json', '/openapi.yaml']] as const),
] as const;

/**
 * Registers `/openapi.json`, the reference at `/docs`, and the guides below `/docs`. The first request renders them.
 */
export function registerReference(app: FastifyInstance, publicUrl: string): void {
  let rendering: Promise<ReadonlyMap<string, StaticFile>> | undefined;
  const serve = (path: string): void => {
    app.get(path, async (request, reply) => {
      rendering ??= renderReference(publicUrl).catch((error: unknown) => {
        rendering = undefined; // the next request tries again
        throw error;
      });
      return (await rendering).get(path)?.send(request, reply);
    });
  };
  serve('/openapi.json');
  serve(SCRIPT_PATH);
  for (const [page, files] of PAGE_FILES) {
    app.get(page, (_request, reply) => reply.header('content-security-policy', POLICY).redirect(`${page}/`, 301));
    for (const file of files) serve(`${page}${file}`);
  }
}

/**
 * Renders all pages of the viewer once, in a server that is only used for it. The viewer itself would copy its script
 * of 4.4 MB for each response.
 */
async function renderReference(publicUrl: string): Promise<ReadonlyMap<string, StaticFile>> {
  const viewer = Fastify();
  await registerPage(viewer, '/docs', { url: '/openapi.json', pageTitle: 'Tankwatch API' });
  for (const [guide, file] of GUIDES) {
    const content = await readGuide(file);
    await registerPage(viewer, `/docs/${guide}`, { content, pageTitle: content.info.title, ...AS_TEXT });
  }
  const document = Buffer.from(JSON.stringify(openApiDocument(publicUrl)));
  const files = new Map([
    ['/openapi.json', new StaticFile(document, { type: 'application/json; charset=utf-8', cacheControl: 'no-cache' })],
    [SCRIPT_PATH, await renderFile(viewer, SCRIPT_PATH, 'public, max-age=3600')],
  ]);
  for (const [page, names] of PAGE_FILES)
    for (const name of names) files.set(`${page}${name}`, await renderFile(viewer, `${page}${name}`, 'no-cache'));
  await viewer.close();
  return files;
}

async function renderFile(viewer: FastifyInstance, path: string, cacheControl: string): Promise<StaticFile> {
  const { rawPayload, headers } = await viewer.inject(path);
  const { 'content-type': type = '', 'content-length': _, date: __, connection: ___, ...others } = headers;
  return new StaticFile(rawPayload, {
    type,
    cacheControl,
    headers: { ...others, 'content-security-policy': POLICY },
  });
}

/** Turns a guide into an OpenAPI document without operations, so that the reference viewer renders it too. */
async function readGuide(file: string) {
  const text = await readFile(new URL(file, DOCS), 'utf8');
  const [, title = '', rest = ''] = /^# (.*?)\n(.*)$/s.exec(text) ?? [];
  const description = rest.replaceAll(LINK, (link, label: string, target: string) =>
    servedLink(file, link, label, target),
  );
  return { openapi: '3.1.0', info: { title, version: '1', description }, paths: {} };
}

const DOCS = new URL('../../../docs/', import.meta.url);
const OPENAPI = new URL('../../openapi.json', DOCS).href;
const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

/**
 * Converts a link. Links between files of the repository are relative and become the paths under which the files are
 * served. A link to a file that is not served becomes plain text.
 */
function servedLink(file: string, link: string, label: string, target: string): string {
  if (/^[a-z]+:/.test(target)) return link;
  const { href, hash } = new URL(target, new URL(file, DOCS));
  const path = href.slice(0, href.length - hash.length);
  if (path === OPENAPI) return `[${label}](/openapi.json)`;
  // The viewer puts the headings of a text below "description/".
  const heading = hash.replace('#', '#description/');
  if (target.startsWith('#')) return `[${label}](${heading})`;
  const guide = GUIDES.find(([, guideFile]) => new URL(guideFile, DOCS).href === path)?.[0];
  return guide === undefined ? label : `[${label}](/docs/${guide}/${heading})`;
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
    configuration: {
      cdn: SCRIPT_PATH, // all pages share one script
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
 * The content security policy. The viewer needs inline scripts and styles, and images and fonts as data, but no eval.
 * The browser blocks every other origin, so that the page cannot send an API key elsewhere. It cannot be shown in a
 * frame.
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
