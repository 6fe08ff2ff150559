import scalarReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from './openapi.ts';

/** `/openapi.json` and, for people, `/docs`. */
export async function registerReference(app: FastifyInstance, publicUrl: string): Promise<void> {
  const document = openApiDocument(publicUrl);
  app.get('/openapi.json', async (_request, reply) => reply.send(document));
  await app.register(scalarReference, {
    routePrefix: '/docs',
    hooks: {
      onRequest(_request, reply, done) {
        void reply.header('content-security-policy', POLICY);
        done();
      },
    },
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Tankwatch API',
      favicon: 'data:,', // none, so that the browser does not ask for one
      defaultOpenAllTags: true,
      showDeveloperTools: 'never',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
}

/** The page is one script with inline parts. With this the browser itself refuses anything from outside. */
const POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:";
