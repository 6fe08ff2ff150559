import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_UPLOAD_BYTES } from '../../catalog/import_upload.ts';
import { originCheck } from '../../http/check_origin.ts';
import { foreignOrigin, invalidParameters } from '../../http/problem.ts';
import type { AddressConfig } from '../../settings/address_settings.ts';
import type { DeviceSecretsConfig, LinkSecretsConfig } from '../../settings/secret_settings.ts';
import { applyEtag } from '../http_caching.ts';
import { parseParameters } from '../parameters.ts';
import { checkBody, parseJsonObject } from './body_values.ts';
import { parseCondition } from './conditions.ts';
import { claimKey, parseIdempotencyKey, type StoredResponse, storeResponse } from './idempotency.ts';
import {
  BODY_TYPES,
  bodyTypesOf,
  checkRoles,
  FILE_TYPE,
  type ManageOperation,
  type ManageRead,
  type ManageResponse,
  type ManageWrite,
} from './manage_operation.ts';
import { callerOf, checkMediaType, type ManageHttpRequest, textOf } from './manage_request.ts';
import { OpenBulks } from './open_bulks.ts';
import { MANAGE_OPERATIONS } from './operations.ts';
import { checkQuota } from './quotas.ts';
import { checkRepeated, splitRepeated } from './repeated_fields.ts';
import { respondToBulk, respondToLong } from './respond_to_long.ts';
import type { ManageTransactions } from './transactions.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of /manage/v1 that this route serves. */
    manage?: ManageOperation;
  }
}

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
  webhooks: AddressConfig;
  /** Which addresses connectors may send requests to. */
  connectors: AddressConfig;
}

const maxBodyBytesOf = (operation: ManageOperation): number => {
  if (operation.kind === 'bulk' || (operation.kind === 'long' && operation.takesFile)) return MAX_UPLOAD_BYTES;
  return (operation.kind === 'write' ? operation.maxBodyBytes : undefined) ?? 16_384;
};

/** Registers the operations of /manage/v1. */
export function registerManage(app: FastifyInstance, options: ManageOptions): void {
  const bulks = new OpenBulks();
  const checkOrigin = originCheck(options.publicUrl);
  // A browser sends Origin with every change. A request with a cookie but without Origin is not from our pages.
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
        config: {
          manage: operation,
          bodyType: bodyTypesOf(operation).join(' or '),
          maxBodyBytes: maxBodyBytesOf(operation),
        },
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
  // The request frees its slot, because it waits in the queues of ManageTransactions. When it kept the slot, 21 waiting
  // changes of one key took all slots, and the reads of others took 230 ms.
  request.leaveQueue();
  if (operation.kind === 'read') return respondToRead(options, operation, request, reply);
  if (operation.kind === 'write') return respondToWrite(options, operation, request, reply);
  if (operation.kind === 'long') return respondToLong(options.transactions, operation, request, reply);
  return respondToBulk(options.transactions, operation, request, reply);
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
  // The ETag is for If-Match. Fields that nobody writes, such as the state of a source, change without it: a browser that kept the
  // response would show them as they were.
  reply.header('cache-control', 'no-store');
  if (response.etag !== undefined && applyEtag(request, reply, response.etag)) return reply.send();
  return reply.code(response.status).send(response.body);
}

/**
 * The order is: lock the organization (changes of the catalog), lock and verify the caller, claim the Idempotency-Key,
 * report invalid fields, and call the operation, whose domain function locks the object, checks If-Match and makes the
 * change. An unreadable body is reported before all of these. The Idempotency-Key, the change, its audit entry and the
 * response are stored in one transaction.
 */
async function respondToWrite(
  { transactions, secretsKeys, deviceSecrets, links, publicUrl, webhooks, connectors }: ManageOptions,
  operation: ManageWrite,
  request: ManageHttpRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { sender, organizationNo, credential, isOwner: isForOwner } = callerOf(request);
  const { headers, params: path, url: target, method } = request;
  const isDryRun =
    operation.storesNothing === true ||
    (operation.parameters['dry_run'] !== undefined && request.query.given.get('dry_run') === 'true');
  if (operation.body !== null) checkMediaType(operation, request);
  const body = operation.body === null ? {} : parseJsonObject(textOf(request));
  const read = readOf(operation);
  const { written, repeated } =
    operation.body === null ? { written: body, repeated: {} } : splitRepeated(body, operation.body, read?.item);
  const condition = parseCondition(headers, { isRequired: operation.condition === 'required' });
  const idempotencyKey = isDryRun
    ? undefined
    : parseIdempotencyKey(headers, { method, target, body: textOf(request) }, { isRequired: method === 'POST' });
  // Errors are thrown later, so that a repeated request gets its stored response, even if a host name can no longer be
  // resolved.
  const checked = operation.body === null ? { values: {} } : checkBody(operation.body, written);
  const refusal: unknown =
    'errors' in checked
      ? undefined
      : await operation.prepare?.({ values: checked.values, webhooks, connectors }).then(
          () => undefined,
          (error: unknown) => error,
        );
  const queued = { sender, organizationNo, queue: operation.queue };
  const proof = { credential, requestId: request.id, isOwner: isForOwner };

  const stored = await transactions.write(queued, proof, { isDryRun }, async (tx, caller): Promise<StoredResponse> => {
    checkRoles(operation.allowedCallers, caller.roles);
    const replayed = idempotencyKey && (await claimKey(tx, caller, idempotencyKey, secretsKeys));
    if (replayed !== undefined) return replayed;
    const parameters = parseParameters(operation.parameters, request.query.given, undefined);
    if ('errors' in checked) {
      const more = (await operation.moreErrors?.({ tx, organizationNo, path, given: written })) ?? [];
      throw invalidParameters([...checked.errors, ...more]);
    }
    if (refusal !== undefined) throw refusal;
    if (read !== undefined)
      await checkRepeated(repeated, condition, () => read.read({ db: tx, organizationNo, path, parameters: {} }));
    const response = await operation.handle({
      tx,
      organizationNo,
      ownerNo: caller.ownerNo,
      path,
      parameters,
      values: checked.values,
      condition,
      isDryRun,
      callerRoles: caller.roles,
      deviceSecrets,
      links: links && { ...links, publicUrl },
      secretsKey: secretsKeys[0] ?? '',
    });
    if (operation.creates !== undefined && response.status === 201)
      await checkQuota(tx, organizationNo, { what: operation.creates, created: 1 });
    const answer = storedResponseOf(response);
    if (idempotencyKey !== undefined)
      await storeResponse(tx, caller, idempotencyKey, answer, response.about, secretsKeys);
    return answer;
  });
  reply.code(stored.status).header('cache-control', 'no-store');
  if (stored.etag !== null) reply.header('etag', stored.etag);
  if (stored.isReplayed) reply.header('idempotent-replayed', 'true');
  if (stored.text === '') return reply.send();
  return reply.type('application/json; charset=utf-8').send(stored.text);
}

const READS = new Map(
  MANAGE_OPERATIONS.filter((operation) => operation.kind === 'read').map((operation) => [operation.path, operation]),
);

/** The operation that reads the object that this operation replaces or changes. */
const readOf = ({ method, path, hasOtherNames }: ManageWrite): ManageRead | undefined =>
  (method === 'PUT' || method === 'PATCH') && !hasOtherNames ? READS.get(path) : undefined;

const storedResponseOf = ({ status, body, etag }: ManageResponse): StoredResponse => ({
  status,
  text: body === null ? '' : JSON.stringify(body),
  etag: etag ?? null,
  isReplayed: false,
});
