import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { lockOrganization } from '../../catalog/organizations.ts';
import type { Tx } from '../../db/pool.ts';
import { originCheck } from '../../http/check_origin.ts';
import { foreignOrigin, invalidParameters, unauthorized, unsupportedMediaType } from '../../http/problem.ts';
import { sessionCookie } from '../../http/session_cookie.ts';
import { type ApiKey, parseKey } from '../../keys/key_format.ts';
import { isOwner, senderOf } from '../../keys/key_verifier.ts';
import type { QuotasConfig } from '../../settings/role_settings.ts';
import type { DeviceSecretsConfig, LinkSecretsConfig } from '../../settings/secret_settings.ts';
import type { WebhookConfig } from '../../settings/webhook_settings.ts';
import type { Sender } from '../../values/turns.ts';
import { sendNotModified } from '../http_caching.ts';
import { readParameters } from '../parameters.ts';
import { findBodyErrors, parseJsonObject } from './body.ts';
import { putLines } from './bulk.ts';
import { readCondition } from './conditions.ts';
import { type Answer, claimKey, readIdempotencyKey, storeAnswer } from './idempotency.ts';
import { OpenBulks } from './open_bulks.ts';
import {
  BODY_TYPES,
  bodyTypeOf,
  checkRoles,
  type ManageBulk,
  type ManageOperation,
  type ManageRead,
  type ManageResponse,
  type ManageWrite,
} from './operation.ts';
import { MANAGE_OPERATIONS } from './operations.ts';
import { checkQuota } from './quotas.ts';
import type { ManageTransactions } from './transactions.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of /manage/v1 that this route serves. */
    manage?: ManageOperation;
  }
}

const maxBodyBytesOf = (operation: ManageOperation): number => {
  if (operation.kind === 'bulk') return 8_388_608;
  return (operation.kind === 'write' ? operation.maxBodyBytes : undefined) ?? 16_384;
};

interface ManageOptions {
  transactions: ManageTransactions;
  /** Encrypt the answers that may be repeated: the current one first. */
  secretsKeys: readonly string[];
  /** Of our own pages. */
  publicUrl: string;
  /** Null: passwords of devices are not shown. */
  deviceSecrets: DeviceSecretsConfig | null;
  /** Null: there are no links of drivers. */
  links: LinkSecretsConfig | null;
  /** Where webhooks may be sent. */
  webhooks: WebhookConfig;
  quotas: QuotasConfig;
}

type ManageHttpRequest = FastifyRequest<{ Params: Record<string, string>; Querystring: { given: URLSearchParams } }>;

/** Registers the operations of /manage/v1. */
export function registerManage(app: FastifyInstance, options: ManageOptions): void {
  const bulks = new OpenBulks();
  const checkOrigin = originCheck(options.publicUrl);
  // A browser sends Origin with every change. A request with a cookie and without it is not from our pages.
  const checkOwnOrigin = (request: FastifyRequest): void => {
    if (request.headers.origin === undefined) throw foreignOrigin();
    checkOrigin(request);
  };
  app.register(async (routes) => {
    for (const type of BODY_TYPES)
      routes.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, body));
    for (const operation of MANAGE_OPERATIONS) {
      routes.route<{ Params: Record<string, string>; Querystring: { given: URLSearchParams } }>({
        method: operation.method,
        url: operation.path,
        config: { manage: operation, bodyType: bodyTypeOf(operation), maxBodyBytes: maxBodyBytesOf(operation) },
        bodyLimit: maxBodyBytesOf(operation),
        // After the hooks that verify the caller, and before the body is read.
        async onRequest(request, reply) {
          const { caller } = request;
          if (caller?.isSession && operation.kind !== 'read') checkOwnOrigin(request);
          if (operation.kind === 'bulk' && caller !== null) bulks.begin(caller.organizationNo, reply.raw);
        },
        handler: (request, reply) =>
          operation.kind === 'bulk' && request.caller !== null
            ? bulks.run(request.caller.organizationNo, reply.raw, () => handle(options, operation, request, reply))
            : handle(options, operation, request, reply),
      });
    }
  });
}

function handle(
  options: ManageOptions,
  operation: ManageOperation,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // It waits in the lines of ManageTransactions: 21 waiting changes of a key held every place, and others' reads took 230 ms.
  request.leaveTurn();
  if (operation.kind === 'read') return answerRead(options, operation, request, reply);
  if (operation.kind === 'write') return answerWrite(options, operation, request, reply);
  return answerBulk(options, operation, request, reply);
}

async function answerRead(
  { transactions }: ManageOptions,
  operation: ManageRead,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sender, organizationNo } = callerOf(request);
  const parameters = readParameters(operation.parameters, request.query.given, undefined);
  const response = await transactions.read({ sender, organizationNo, line: 'other' }, (db) =>
    operation.read({ db, organizationNo, path: request.params, parameters }),
  );
  reply.header('cache-control', 'private, no-cache').header('vary', 'X-API-Key, Cookie');
  if (response.etag !== undefined && sendNotModified(request, reply, response.etag)) return reply.send();
  return reply.code(response.status).send(response.body);
}

/**
 * The order decides which error is reported: what cannot be read at all, then a repeated request, then the fields, and last what
 * the operation finds out under its lock. Everything is one transaction: the key, the change, its audit and the answer.
 */
async function answerWrite(
  { transactions, secretsKeys, deviceSecrets, links, publicUrl, webhooks, quotas }: ManageOptions,
  operation: ManageWrite,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sender, organizationNo, key, isOwner: isOfOwner } = callerOf(request);
  const { headers, params: path, url: target, method } = request;
  const isPatch = operation.method === 'PATCH';
  const isDryRun =
    operation.storesNothing === true ||
    (operation.parameters['dry_run'] !== undefined && request.query.given.get('dry_run') === 'true');
  if (operation.body !== null) checkMediaType(operation, headers);
  const body = operation.body === null ? {} : parseJsonObject(textOf(request));
  const condition = readCondition(headers, true);
  const idempotencyKey = isDryRun
    ? undefined
    : readIdempotencyKey(headers, { method, target, body: textOf(request) }, { isRequired: method === 'POST' });
  // A repeated request gets its stored answer, whatever a name server says today.
  const refusal: unknown = await operation.prepare?.({ body, webhooks }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const begin = { sender, organizationNo, line: operation.line };
  const credential = { key, requestId: request.id, isOwner: isOfOwner };

  const how = { isDryRun, locksFirst: operation.locksFirst === true };
  const answer = await transactions.write(begin, credential, how, async (tx, manager): Promise<Answer> => {
    checkRoles(operation.who, manager.roles);
    const replayed = idempotencyKey && (await claimKey(tx, manager, idempotencyKey, secretsKeys));
    if (replayed !== undefined) return replayed;
    const parameters = readParameters(operation.parameters, request.query.given, undefined);
    const errors = operation.body === null ? [] : findBodyErrors(operation.body, body, { isPatch });
    if (errors.length > 0) throw invalidParameters(errors);
    if (refusal !== undefined) throw refusal;
    if (operation.line === 'catalog' && !how.locksFirst) await lockOrganization(tx, organizationNo);
    const response = await operation.handle({
      tx,
      organizationNo,
      ownerNo: manager.ownerNo,
      path,
      parameters,
      body,
      condition,
      isDryRun,
      callerRoles: manager.roles,
      deviceSecrets,
      links: links && { ...links, publicUrl },
      secretsKey: secretsKeys[0] ?? '',
    });
    if (operation.creates !== undefined && response.status === 201)
      await checkQuota(tx, organizationNo, { what: operation.creates, created: 1 }, quotas);
    const made = answerOf(response);
    if (idempotencyKey !== undefined) await storeAnswer(tx, manager, idempotencyKey, made, response.about, secretsKeys);
    return made;
  });
  reply.code(answer.status).header('cache-control', 'no-store');
  if (answer.etag !== null) reply.header('etag', answer.etag);
  if (answer.isReplayed) reply.header('idempotent-replayed', 'true');
  if (answer.text === '') return reply.send();
  return reply.type('application/json; charset=utf-8').send(answer.text);
}

/** Each transaction of a bulk stores some lines. An answer with 200 or 207 has a result for every line. */
async function answerBulk(
  { transactions, quotas }: ManageOptions,
  operation: ManageBulk,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sender, organizationNo, key } = callerOf(request);
  checkMediaType(operation, request.headers);
  const parameters = readParameters(operation.parameters, request.query.given, undefined);
  const isDryRun = parameters['dry_run'] === true;
  const begin = { sender, organizationNo, line: 'catalog' } as const;
  const change = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    transactions.write(
      begin,
      { key, requestId: request.id, isOwner: false },
      { isDryRun, isBulk: true },
      async (tx, { roles }) => {
        checkRoles(operation.who, roles);
        await lockOrganization(tx, organizationNo);
        return work(tx);
      },
    );
  const isClientGone = (): boolean => reply.raw.closed;
  const { text, hasRefused } = await putLines(operation, textOf(request), {
    organizationNo,
    isDryRun,
    isClientGone,
    checkQuota: (tx, created) => checkQuota(tx, organizationNo, { what: operation.creates, created }, quotas),
    change,
  });
  return reply
    .code(hasRefused ? 207 : 200)
    .header('cache-control', 'no-store')
    .type('application/x-ndjson; charset=utf-8')
    .send(text);
}

/** The parsers give the text as it is. Empty without a body. */
const textOf = ({ body }: FastifyRequest): string => (typeof body === 'string' ? body : '');

function checkMediaType(operation: ManageOperation, headers: IncomingHttpHeaders): void {
  const wanted = bodyTypeOf(operation);
  const given = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (given !== wanted) throw unsupportedMediaType(`The body must have the type ${wanted}.`);
}

const answerOf = ({ status, body, etag }: ManageResponse): Answer => ({
  status,
  text: body === null ? '' : JSON.stringify(body),
  etag: etag ?? null,
  isReplayed: false,
});

/** The hooks have verified the caller: a key, or the session of a person. */
function callerOf({ caller, headers }: ManageHttpRequest): {
  sender: Sender;
  organizationNo: number;
  key: ApiKey;
  isOwner: boolean;
} {
  const given = headers['x-api-key'] ?? sessionCookie(headers.cookie);
  const key = typeof given === 'string' ? parseKey(given) : undefined;
  if (caller === null || key === undefined) throw unauthorized('Send your API key in the header X-API-Key.');
  return { sender: senderOf(caller), organizationNo: caller.organizationNo, key, isOwner: isOwner(caller) };
}
