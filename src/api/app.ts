import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReadSources, SourceReaders } from '../db/read_sources.ts';
import type { WriteConnections } from '../db/write_connections.ts';
import { TEXT_REPORT_PATH } from '../duty/send_text.ts';
import { Outage } from '../health/outage.ts';
import { Authenticator } from '../http/authenticate.ts';
import { changesNotSetUp, methodNotAllowed, notFound } from '../http/problem.ts';
import { queueFairly } from '../http/queue_fairly.ts';
import type { RequestMetrics } from '../http/request_metrics.ts';
import { createHttpServer, type HttpServerOptions, registerHealth } from '../http/server.ts';
import { CREDENTIALS } from '../keys/credential_sources.ts';
import { KeyActivity, RECORD_KEY_ACTIVITY } from '../keys/key_activity.ts';
import { KeyVerifier, senderOf } from '../keys/key_verifier.ts';
import { recordKeyUse, recordSessionUse } from '../keys/last_use_recorder.ts';
import type { AddressConfig } from '../settings/address_settings.ts';
import type { MapConfig } from '../settings/map_settings.ts';
import type { AddressUse } from '../settings/role_settings.ts';
import type { DeviceSecretsConfig, LinkSecretsConfig } from '../settings/secret_settings.ts';
import { organizationZone } from '../status/organization_day.ts';
import { followReadings } from '../status/reading_followers.ts';
import { registerDriverPage } from './driver/driver_page.ts';
import { DRIVER_PATHS, registerDriver } from './driver/driver_routes.ts';
import { FLEET_OPERATIONS } from './fleet/operations.ts';
import { Health } from './health/health.ts';
import { applyConditionalGet, applyCors, dropContentTypeWithoutBody } from './http_caching.ts';
import { LiveStreams } from './live/live_streams.ts';
import { TankChangePoller } from './live/tank_change_poller.ts';
import { checkAllowedCaller } from './manage/operation.ts';
import { MANAGE_OPERATIONS } from './manage/operations.ts';
import { registerManage } from './manage/register.ts';
import type { ManageTransactions } from './manage/transactions.ts';
import { OpenExports } from './open_exports.ts';
import { REFERENCE_PATHS, registerReference } from './openapi/api_reference.ts';
import type { Operation, OperationResponse } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { registerConsole } from './pages/console.ts';
import { LINK_PATH, RESUBSCRIBE_PATH, registerLinkPages } from './pages/link_pages.ts';
import { registerSecurityTxt, SECURITY_TXT_PATH } from './pages/security_txt.ts';
import { beginDays, parseParameters, ZONE_HEADER } from './parameters.ts';
import { responseSchema, serializerSchema } from './schemas/values.ts';
import { ISSUER_PATHS } from './sign_in/issuer_routes.ts';
import { IssuerSignIn } from './sign_in/issuer_sign_in.ts';
import { PUSH_PATHS } from './sign_in/push_routes.ts';
import { REMINDERS_PATH } from './sign_in/reminders_route.ts';
import { registerSession, SESSION_PATH } from './sign_in/session.ts';
import { SIGN_IN_PATHS } from './sign_in/sign_in_routes.ts';
import { registerTextReports } from './text_reports.ts';
import { V1_OPERATIONS } from './v1/operations.ts';

const MAX_BODY_BYTES = 16_384;
const QUEUE_LIMITS = { reservedPerGroup: 2 };

export interface ApiOptions {
  /** The primary, on which changes of keys and sessions are also polled. */
  primary: SourceReaders;
  writers: WriteConnections;
  sources: ReadSources;
  logger: FastifyBaseLogger;
  publicUrl?: string;
  corsOrigins?: readonly string[];
  /** The secrets that sign links in mails. Without them, the link pages are not served. */
  links?: LinkSecretsConfig | null;
  trustedProxies?: readonly string[];
  /** Where to report a vulnerability. If empty, there is no security.txt. */
  securityContact?: string;
  /** Whether to serve the console. */
  hasConsole?: boolean;
  /** The background of the console's map. */
  map?: MapConfig;
  /** The options of /manage/v1. Without them the api only reads, and nothing can be changed in the console. */
  manage?: {
    transactions: ManageTransactions;
    deviceSecrets: DeviceSecretsConfig | null;
    webhooks: AddressConfig;
    connectors: AddressConfig;
  } | null;
  /**
   * The keys that encrypt what the api stores, the current one first. Without them, signing in with an issuer and
   * changes are not possible.
   */
  apiSecretsKeys?: readonly string[];
  oidcSessionMinutes?: number;
  requests?: RequestMetrics;
  /** Where the addresses of clients are kept. */
  addresses?: AddressUse;
}

export interface Api {
  app: FastifyInstance;
  health: Health;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that this route serves. Routes without an operation need no API key. */
    operation?: Operation;
  }
}

/** Builds the Fastify app of the api role. It does not listen yet. */
export async function buildApi({
  primary: { readers, fleetReaders },
  writers,
  sources,
  logger,
  publicUrl = '',
  corsOrigins = [],
  links = null,
  trustedProxies = [],
  securityContact = '',
  hasConsole = false,
  map,
  manage = null,
  apiSecretsKeys = [],
  oidcSessionMinutes = 60,
  requests,
  addresses = 'off',
}: ApiOptions): Promise<Api> {
  // Keys are polled on the primary, because a revocation must take effect within a second even if a replica is behind.
  const fallback = sources.hasReplicas ? () => sources.replica()?.readers : undefined;
  const keys = new KeyVerifier(readers, {
    outage: new Outage(logger, 'following changes to keys'),
    fallback,
    source: CREDENTIALS.keys,
  });
  const usedKeys = recordKeyUse(writers, new Outage(logger, 'recording the use of keys'));
  const usedSessions = recordSessionUse(writers, new Outage(logger, 'recording the use of sessions'));
  const sessions = new KeyVerifier(readers, {
    outage: new Outage(logger, 'following changes to sessions'),
    source: CREDENTIALS.sessions,
    fallback,
  });
  const authenticator = new Authenticator(keys, {
    scope: 'read',
    onCaller({ keyNo, keyPrefix, isSession }) {
      if (isSession) usedSessions.record(keyPrefix);
      if (keyNo > 0) usedKeys.record(keyNo);
    },
    sessions,
  });
  const activity =
    addresses === 'off' ? undefined : new KeyActivity((values) => writers.query(RECORD_KEY_ACTIVITY, values), logger);
  const health = new Health(sources, keys);
  const app = createServer(logger, { trustedProxies, requests, activity, logsAddresses: addresses === 'on' });

  queueFairly(app, { keys, sessions, ...QUEUE_LIMITS });

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    applyCors(corsOrigins, request, reply);
    if (request.is404 || hasEmptyParameter(request)) await rejectUnmatchedRequest(request, reply);
    const { operation, manage: manageOperation } = request.routeOptions.config;
    if (!operation && !manageOperation) return;
    if (manageOperation && apiSecretsKeys.length === 0) throw changesNotSetUp();
    dropContentTypeWithoutBody(request.raw);
    await authenticator.authenticate(
      request,
      reply,
      manageOperation && ((caller) => checkAllowedCaller(manageOperation, caller)),
    );
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    const isOperation = request.routeOptions.config.operation !== undefined;
    if (!isOperation || reply.statusCode !== 200 || typeof payload !== 'string') return done(null, payload);
    reply.header('cache-control', 'private, no-cache');
    reply.header('vary', corsOrigins.length > 0 ? 'X-API-Key, Cookie, Origin' : 'X-API-Key, Cookie');
    done(null, applyConditionalGet(request, reply, payload));
  });

  const streams = new LiveStreams(
    new TankChangePoller(
      () => new Map([...sources.inUse()].map(([name, source]) => [name, source.fleetReaders])),
      new Outage(logger, 'watching tanks'),
    ),
  );
  app.addHook('preClose', async () => streams.close());
  const shared = { sources, writers, authenticator, exports: new OpenExports() };
  for (const operation of V1_OPERATIONS) registerOperation(app, { ...shared, kind: 'readers' }, operation);
  for (const operation of FLEET_OPERATIONS)
    registerOperation(app, { ...shared, kind: 'fleetReaders', streams }, operation);
  if (manage !== null) registerManage(app, { ...manage, secretsKeys: apiSecretsKeys, publicUrl, links });
  if (apiSecretsKeys.length > 0 && publicUrl !== '') registerTextReports(app, { writers, apiSecretsKeys, publicUrl });
  registerHealth(app, () => health.notReadyReasons());
  registerReference(app, publicUrl);
  const isConsoleServed =
    hasConsole &&
    (await registerConsole(app, { map, authenticate: (request, reply) => authenticator.authenticate(request, reply) }));
  // LINK_SECRET is set where mails are sent.
  const hasMails = hasConsole && links !== null;
  // The provider sends browsers back to the public address.
  const hasIssuers = hasConsole && publicUrl !== '' && apiSecretsKeys.length > 0;
  const issuerSignIn = hasIssuers
    ? new IssuerSignIn({ readers, writers, apiSecretsKeys, publicUrl, sessionMinutes: oidcSessionMinutes })
    : undefined;
  registerSession(app, {
    readers,
    writers,
    authenticator,
    publicUrl,
    hasMails,
    hasManagement: manage !== null && apiSecretsKeys.length > 0,
    issuerSignIn,
    pushAddresses: manage?.webhooks ?? { allowHttp: false, allowPrivate: false },
  });
  if (securityContact !== '') registerSecurityTxt(app, securityContact, publicUrl);
  if (links !== null) {
    registerLinkPages(app, { readers, writers, secrets: links, hasConsole: isConsoleServed });
    registerDriver(app, { readers: fleetReaders, writers, secrets: links });
    if (isConsoleServed) await registerDriverPage(app);
  }
  app.get('/', (_request, reply) => reply.redirect(isConsoleServed ? '/console/' : '/docs/', 302));

  app.addHook('onReady', async () => {
    await Promise.all([keys.start(), sessions.start(), sources.start()]);
  });
  app.addHook('onClose', async () => {
    keys.close();
    sessions.close();
    sources.close();
    await Promise.all([usedKeys.close(), usedSessions.close(), activity?.close()]);
  });
  return { app, health };
}

function createServer(logger: FastifyBaseLogger, options: Omit<HttpServerOptions, 'maxBodyBytes'>): FastifyInstance {
  const app = createHttpServer(logger, { maxBodyBytes: MAX_BODY_BYTES, ...options });
  // `curl -X GET -d` sends the parameters as a form body. GET accepts them there, and no other type of body.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(body.toString())),
  );
  return app;
}

/** All paths with the methods they allow. */
const KNOWN_PATHS = [
  ...[
    ...OPERATIONS.map((operation) => operation.path),
    ...REFERENCE_PATHS,
    SECURITY_TXT_PATH,
    '/healthz',
    '/readyz',
  ].map((path) => [path, 'GET, HEAD'] as const),
  [LINK_PATH, 'GET, HEAD, POST'] as const,
  [TEXT_REPORT_PATH, 'GET, HEAD, POST'] as const,
  [RESUBSCRIBE_PATH, 'POST'] as const,
  [REMINDERS_PATH, 'POST'] as const,
  [PUSH_PATHS.browsers, 'GET, HEAD, POST, PUT'] as const,
  [PUSH_PATHS.browser, 'DELETE'] as const,
  [PUSH_PATHS.test, 'POST'] as const,
  [DRIVER_PATHS.round, 'GET, HEAD'] as const,
  [DRIVER_PATHS.entry, 'PUT'] as const,
  [DRIVER_PATHS.blockRead, 'PUT'] as const,
  [SESSION_PATH, 'GET, HEAD, POST, DELETE'] as const,
  [SIGN_IN_PATHS.mails, 'POST'] as const,
  [SIGN_IN_PATHS.link, 'GET, HEAD, POST'] as const,
  [SIGN_IN_PATHS.choices, 'GET, HEAD'] as const,
  [ISSUER_PATHS.list, 'GET, HEAD'] as const,
  [ISSUER_PATHS.begin, 'POST'] as const,
  [ISSUER_PATHS.callback, 'GET, HEAD'] as const,
  ...Map.groupBy(MANAGE_OPERATIONS, ({ path }) => path)
    .entries()
    .map(([path, operations]) => {
      const methods = operations.map(({ method }) => method);
      return [path, methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')] as const;
    }),
].map(([path, allow]) => ({ pattern: new RegExp(`^${path.replaceAll(/:[a-z_]+/g, '[^/]+')}$`), allow }));

/** `/v1/tanks/` matches the route `/v1/tanks/:id` with an empty id. */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  // The rest of a path, `*`, may be empty: /console/ is a page.
  return Object.entries(params ?? {}).some(([name, value]) => name !== '*' && value === '');
}

/** No route matched: the path is unknown, or the path does not allow the method. Neither error needs an API key. */
async function rejectUnmatchedRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const path = request.url.split('?')[0] ?? '';
  const allow = KNOWN_PATHS.find(({ pattern }) => pattern.test(path))?.allow;
  const isAllowed = allow?.split(', ').includes(request.method); // allowed, but without a route: the page is disabled
  if (allow === undefined || isAllowed) throw notFound('path');
  if (request.method !== 'OPTIONS') throw methodNotAllowed(request.method, allow);
  await reply.code(204).header('allow', `${allow}, OPTIONS`).send();
}

interface OperationContext {
  sources: ReadSources;
  writers: WriteConnections;
  kind: keyof SourceReaders;
  authenticator: Authenticator;
  exports: OpenExports;
  streams?: LiveStreams;
}

function registerOperation(
  app: FastifyInstance,
  { sources, writers, kind, authenticator, exports, streams }: OperationContext,
  operation: Operation,
): void {
  app.get<{ Params: { id?: string }; Querystring: { given: URLSearchParams } }>(
    operation.path,
    {
      config: { operation },
      schema: isStream(operation) ? {} : { response: { 200: serializerSchema(responseSchema(operation)) } },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const { id = '' } = request.params;
      if (caller === null) throw new Error('the request is not authenticated');
      if (operation.returns === 'csv') exports.add(caller, reply.raw);
      const query = request.query.given;
      const form = body instanceof URLSearchParams ? body : undefined;
      const parameters = parseParameters(operation.parameters, query, form);
      const given = form ? new URLSearchParams([...query, ...form]) : query;
      const path = operation.path.replace(':id', id);

      const reauthorize = (): Promise<unknown> => authenticator.verify(request);
      const input = {
        caller,
        id,
        path,
        given,
        reauthorize,
        exports,
        followReadings: () => followReadings(writers.as(senderOf(caller)), caller.organizationNo),
        ...(streams && { streams }),
      };
      const read = async (source: SourceReaders): Promise<OperationResponse> => {
        const readers = source[kind].as(senderOf(caller), { isStream: isStream(operation) });
        const begun = await beginDays(parameters, () => organizationZone(readers, caller.organizationNo));
        if (begun.dayZone !== undefined) reply.header(ZONE_HEADER, begun.dayZone);
        return operation.handle({ ...input, ...begun, readers });
      };
      const response = await (operation.readsPrimary
        ? sources.readPrimary(read)
        : sources.read(caller.keyPrefix, read));
      if (response.headers) reply.headers(response.headers);
      if (response.isDeleted) reply.serializer(JSON.stringify).type('application/json; charset=utf-8');
      return reply.send(response.body);
    },
  );
}

const isStream = ({ returns }: Operation): boolean => returns === 'csv' || returns === 'event_stream';
