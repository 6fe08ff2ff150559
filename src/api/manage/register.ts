import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_UPLOAD_BYTES } from '../../catalog/import_upload.ts';
import { lockOrganization } from '../../catalog/organizations.ts';
import type { Tx } from '../../db/pool.ts';
import { originCheck } from '../../http/check_origin.ts';
import { foreignOrigin, invalidParameters, malformed, unauthorized, unsupportedMediaType } from '../../http/problem.ts';
import { sessionCookie } from '../../http/session_cookie.ts';
import { type ApiKey, parseKey } from '../../keys/key_format.ts';
import { isOwner, senderOf } from '../../keys/key_verifier.ts';
import type { DeviceSecretsConfig, LinkSecretsConfig } from '../../settings/secret_settings.ts';
import type { WebhookConfig } from '../../settings/webhook_settings.ts';
import type { Sender } from '../../values/fair_queue.ts';
import { sendNotModified } from '../http_caching.ts';
import { parseParameters } from '../parameters.ts';
import { checkBody, parseJsonObject } from './body_values.ts';
import { putLines } from './bulk.ts';
import { parseCondition } from './conditions.ts';
import { claimKey, parseIdempotencyKey, type StoredResponse, storeResponse } from './idempotency.ts';
import { OpenBulks } from './open_bulks.ts';
import {
  BODY_TYPES,
  bodyTypeOf,
  checkRoles,
  FILE_TYPE,
  type ManageBulk,
  type ManageLong,
  type ManageOperation,
  type ManageRead,
  type ManageResponse,
  type ManageWrite,
} from './operation.ts';
import { MANAGE_OPERATIONS } from './operations.ts';
import { checkQuota } from './quotas.ts';
import { type ManageTransactions, problemOfChange } from './transactions.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of /manage/v1 that this route serves. */
    manage?: ManageOperation;
  }
}

const maxBodyBytesOf = (operation: ManageOperation): number => {
  if (operation.kind === 'bulk' || (operation.kind === 'long' && operation.takesFile)) return MAX_UPLOAD_BYTES;
  return (operation.kind === 'write' ? operation.maxBodyBytes : undefined) ?? 16_384;
};

interface ManageOptions {
  transactions: ManageTransactions;
  /** The keys that encrypt stored responses, the current one first. */
  secretsKeys: readonly string[];
  /** The address of the console. */
  publicUrl: string;
  /** Null if passwords of devices are not shown. */
  deviceSecrets: DeviceSecretsConfig | null;
  /** Null if there are no links of drivers. */
  links: LinkSecretsConfig | null;
  /** Where webhooks may be sent. */
  webhooks: WebhookConfig;
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
    routes.addContentTypeParser(FILE_TYPE, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const operation of MANAGE_OPERATIONS) {
      const isLong = operation.kind === 'bulk' || operation.kind === 'long';
      routes.route<{ Params: Record<string, string>; Querystring: { given: URLSearchParams } }>({
        method: operation.method,
        url: operation.path,
        config: { manage: operation, bodyType: bodyTypeOf(operation), maxBodyBytes: maxBodyBytesOf(operation) },
        bodyLimit: maxBodyBytesOf(operation),
        // Runs after the hooks that verify the caller, and before the body is read.
        async onRequest(request, reply) {
          const { caller } = request;
          if (caller?.isSession && operation.kind !== 'read') checkOwnOrigin(request);
          if (isLong && caller !== null) bulks.begin(caller.organizationNo, reply.raw);
        },
        handler: (request, reply) =>
          isLong && request.caller !== null
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
  // The change waits in the queues of ManageTransactions. Otherwise 21 waiting changes of one key took every slot, and
  // the reads of others took 230 ms.
  request.leaveQueue();
  if (operation.kind === 'read') return respondToRead(options, operation, request, reply);
  if (operation.kind === 'write') return respondToWrite(options, operation, request, reply);
  if (operation.kind === 'long') return respondToLong(options, operation, request, reply);
  return respondToBulk(options, operation, request, reply);
}

async function respondToRead(
  { transactions }: ManageOptions,
  operation: ManageRead,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sender, organizationNo } = callerOf(request);
  const parameters = parseParameters(operation.parameters, request.query.given, undefined);
  const response = await transactions.read({ sender, organizationNo, queue: 'other' }, (db) =>
    operation.read({ db, organizationNo, path: request.params, parameters }),
  );
  reply.header('cache-control', 'private, no-cache').header('vary', 'X-API-Key, Cookie');
  if (response.etag !== undefined && sendNotModified(request, reply, response.etag)) return reply.send();
  return reply.code(response.status).send(response.body);
}

/**
 * The order decides which error is reported: first an unreadable body, then a repeated request, then the fields, and
 * last what the operation finds under its lock. Everything is one transaction: the key, the change, its audit entry and
 * the response.
 */
async function respondToWrite(
  { transactions, secretsKeys, deviceSecrets, links, publicUrl, webhooks }: ManageOptions,
  operation: ManageWrite,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sender, organizationNo, key, isOwner: isForOwner } = callerOf(request);
  const { headers, params: path, url: target, method } = request;
  const isDryRun =
    operation.storesNothing === true ||
    (operation.parameters['dry_run'] !== undefined && request.query.given.get('dry_run') === 'true');
  if (operation.body !== null) checkMediaType(operation, headers);
  const body = operation.body === null ? {} : parseJsonObject(textOf(request));
  const condition = parseCondition(headers);
  const idempotencyKey = isDryRun
    ? undefined
    : parseIdempotencyKey(headers, { method, target, body: textOf(request) }, { isRequired: method === 'POST' });
  // Errors are thrown later, so that a repeated request gets its stored response, even if a host name can no longer be
  // resolved.
  const checked = operation.body === null ? { values: {} } : checkBody(operation.body, body);
  const refusal: unknown =
    'errors' in checked
      ? invalidParameters(checked.errors)
      : await operation.prepare?.({ values: checked.values, webhooks }).then(
          () => undefined,
          (error: unknown) => error,
        );
  const begin = { sender, organizationNo, queue: operation.queue };
  const credential = { key, requestId: request.id, isOwner: isForOwner };

  const how = { isDryRun, locksFirst: operation.locksFirst === true };
  const stored = await transactions.write(begin, credential, how, async (tx, manager): Promise<StoredResponse> => {
    checkRoles(operation.allowedCallers, manager.roles);
    const replayed = idempotencyKey && (await claimKey(tx, manager, idempotencyKey, secretsKeys));
    if (replayed !== undefined) return replayed;
    const parameters = parseParameters(operation.parameters, request.query.given, undefined);
    if ('errors' in checked || refusal !== undefined) throw refusal;
    if (operation.queue === 'catalog') await lockOrganization(tx, organizationNo);
    const response = await operation.handle({
      tx,
      organizationNo,
      ownerNo: manager.ownerNo,
      path,
      parameters,
      values: checked.values,
      condition,
      isDryRun,
      callerRoles: manager.roles,
      deviceSecrets,
      links: links && { ...links, publicUrl },
      secretsKey: secretsKeys[0] ?? '',
    });
    if (operation.creates !== undefined && response.status === 201)
      await checkQuota(tx, organizationNo, { what: operation.creates, created: 1 });
    const made = storedResponseOf(response);
    if (idempotencyKey !== undefined)
      await storeResponse(tx, manager, idempotencyKey, made, response.about, secretsKeys);
    return made;
  });
  reply.code(stored.status).header('cache-control', 'no-store');
  if (stored.etag !== null) reply.header('etag', stored.etag);
  if (stored.isReplayed) reply.header('idempotent-replayed', 'true');
  if (stored.text === '') return reply.send();
  return reply.type('application/json; charset=utf-8').send(stored.text);
}

/** Each transaction of a bulk stores some lines. A response with 200 or 207 has a result for every line. */
async function respondToBulk(
  { transactions }: ManageOptions,
  operation: ManageBulk,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { organizationNo } = callerOf(request);
  checkMediaType(operation, request.headers);
  const parameters = parseParameters(operation.parameters, request.query.given, undefined);
  const isDryRun = parameters['dry_run'] === true;
  const change = longChange(transactions, operation, request, isDryRun);
  const isClientGone = (): boolean => reply.raw.closed;
  const { text, hasRefused } = await putLines(operation, textOf(request), {
    organizationNo,
    isDryRun,
    isClientGone,
    checkQuota: (tx, created) => checkQuota(tx, organizationNo, { what: operation.creates, created }),
    change,
  });
  return reply
    .code(hasRefused ? 207 : 200)
    .header('cache-control', 'no-store')
    .type('application/x-ndjson; charset=utf-8')
    .send(text);
}

/** Runs one of several transactions of a request. */
function longChange(
  transactions: ManageTransactions,
  { allowedCallers }: ManageOperation,
  request: ManageHttpRequest,
  isDryRun: boolean,
): <T>(work: (tx: Tx) => Promise<T>) => Promise<T> {
  const { sender, organizationNo, key } = callerOf(request);
  return (work) =>
    transactions.write(
      { sender, organizationNo, queue: 'catalog' },
      { key, requestId: request.id, isOwner: false },
      { isDryRun, isBulk: true },
      async (tx, { roles }) => {
        checkRoles(allowedCallers, roles);
        await lockOrganization(tx, organizationNo);
        return work(tx);
      },
    );
}

/** An import, or its undo. Each of its reads and transactions takes a turn of its own. */
async function respondToLong(
  { transactions }: ManageOptions,
  operation: ManageLong,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sender, organizationNo } = callerOf(request);
  if (operation.takesFile) checkMediaType(operation, request.headers);
  const parameters = parseParameters(operation.parameters, request.query.given, undefined);
  const isDryRun = parameters['dry_run'] === true;
  const change = longChange(transactions, operation, request, isDryRun);
  const run = operation.run({
    db: transactions.reads({ sender, organizationNo, queue: 'other' }),
    organizationNo,
    path: request.params,
    parameters,
    isDryRun,
    file: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    change: (work) => {
      if (reply.raw.closed) throw malformed('The connection was closed before everything was stored.');
      return change(work);
    },
    checkQuota: (tx, added) => checkQuota(tx, organizationNo, added),
  });
  const { status, body } = await run.catch((error: unknown) => {
    throw problemOfChange(error);
  });
  return reply.code(status).header('cache-control', 'no-store').send(body);
}

/** The parsers give the text as it is. Empty without a body. */
const textOf = ({ body }: FastifyRequest): string => (typeof body === 'string' ? body : '');

function checkMediaType(operation: ManageOperation, headers: IncomingHttpHeaders): void {
  const wanted = bodyTypeOf(operation);
  const given = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (given !== wanted) throw unsupportedMediaType(`The body must have the type ${wanted}.`);
}

const storedResponseOf = ({ status, body, etag }: ManageResponse): StoredResponse => ({
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
