import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { AccessWriters } from '../db/access_writers.ts';
import type { ReadSources, SourceReaders } from '../db/read_sources.ts';
import { Outage } from '../health/outage.ts';
import { Authenticator } from '../http/authenticate.ts';
import { changesNotSetUp } from '../http/problem.ts';
import { queueFairly } from '../http/queue_fairly.ts';
import type { RequestMetrics } from '../http/request_metrics.ts';
import { createHttpServer, type HttpServerOptions, registerHealth } from '../http/server.ts';
import { CREDENTIALS } from '../keys/credential_sources.ts';
import { KeyActivity, RECORD_KEY_ACTIVITY } from '../keys/key_activity.ts';
import { KeyVerifier } from '../keys/key_verifier.ts';
import { recordKeyUse, recordSessionUse } from '../keys/last_use_recorder.ts';
import type { AddressConfig } from '../settings/address_settings.ts';
import type { MapConfig } from '../settings/map_settings.ts';
import type { AddressUse } from '../settings/role_settings.ts';
import type { DeviceSecretsConfig, LinkSecretsConfig } from '../settings/secret_settings.ts';
import { registerDriverPage } from './driver/driver_page.ts';
import { registerDriver } from './driver/driver_routes.ts';
import { FLEET_OPERATIONS } from './fleet/operations.ts';
import { Health } from './health/health.ts';
import { applyConditionalGet, applyCors, dropContentTypeWithoutBody } from './http_caching.ts';
import { LiveStreams } from './live/live_streams.ts';
import { TankChangePoller } from './live/tank_change_poller.ts';
import { checkAllowedCaller } from './manage/manage_operation.ts';
import { registerManage } from './manage/register.ts';
import type { ManageTransactions } from './manage/transactions.ts';
import { OpenExports } from './open_exports.ts';
import { registerReference } from './openapi/api_reference.ts';
import type { Operation } from './operation.ts';
import { registerConsole } from './pages/console.ts';
import { registerLinkPages } from './pages/link_pages.ts';
import { registerSecurityTxt } from './pages/security_txt.ts';
import { registerOperation } from './register_operation.ts';
import { IssuerSignIn } from './sign_in/issuer_sign_in.ts';
import { registerSession } from './sign_in/session.ts';
import { registerTextReports } from './text_reports.ts';
import { hasEmptyParameter, rejectUnmatchedRequest } from './unmatched_request.ts';
import { V1_OPERATIONS } from './v1/operations.ts';

const MAX_BODY_BYTES = 16_384;

export interface ApiOptions {
  /** The primary, on which changes of keys and sessions are also polled. */
  primary: SourceReaders;
  writers: AccessWriters;
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
  /** Whether the addresses of clients are kept in the activity of keys, also in the request log, or nowhere. */
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

  queueFairly(app, { keys, sessions, reservedPerGroup: 2 });

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
  // Mails need LINK_SECRET, so without it nobody can sign in by mail.
  const hasMails = hasConsole && links !== null;
  // PUBLIC_URL is needed because the provider sends browsers back to it.
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
